import { emulatorTest } from 'filehost/vitest'
import { photo } from './photo.ts'

const quotaTest = emulatorTest.extend({ accountQuotas: 'default' })

quotaTest('a thousand uploads under the default quotas end', { timeout: 60_000 }, async ({ client, emulator }) => {
  const [realMs, startedAt] = [performance.now(), emulator.clock.now()]
  for (let index = 0; index < 1_000; index += 1) await client.upload(photo(index))
  const hours = (emulator.clock.now() - startedAt) / 3_600_000
  const seconds = (performance.now() - realMs) / 1_000
  process.stdout.write(`1,000 uploads, ${hours.toFixed(1)} h of the service: ${seconds.toFixed(1)} s\n`)
})
