import { readFileSync } from 'node:fs'
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jpegBytes } from '../helpers/media.ts'
import { runningEmulator } from '../helpers/running-emulator.ts'

test.skipIf(process.platform !== 'linux')('fh emulate needs less than 32 MiB for an upload of 190 MiB', async () => {
  const { rig, running, baseUrl } = await runningEmulator()
  /** The most memory that it has had, in kB. */
  const mostMemory = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${running.child.pid}/status`, 'utf8'))?.[1])
  const size = 190 * 1_048_576
  await rig.write('a.jpg', jpegBytes(10))
  await truncate(join(rig.folder, 'a.jpg'), size)
  const atStart = mostMemory()
  const env = { FH_BASE_URL: baseUrl, FH_API_KEY: 'k', FH_LIMITS: 'none' }
  const { stdout } = await rig.fh(['upload', '--format', 'direct', 'a.jpg'], { env })
  let received = 0
  for await (const chunk of (await fetch(stdout.trim())).body ?? []) received += chunk.length
  expect(received).toBe(size)
  expect(mostMemory() - atStart).toBeLessThan(32 * 1024)
})
