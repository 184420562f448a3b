import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEmulator } from '../../../emulator/index.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { emulated } from './emulated.ts'

test.runIf(process.platform === 'linux')('an endless device as a seed or a TLS key is refused at once', async () => {
  const endless = /^Cannot read the (seed|TLS \w+) \/dev\/zero: it is neither a regular file nor a pipe$/
  await expect(createEmulator({ seed: '/dev/zero' })).rejects.toThrow(endless)
  const emulator = await emulated()
  await expect(emulator.listen({ tls: { cert: '/dev/zero', key: '/dev/zero' } })).rejects.toThrow(endless)
})

test('a TLS certificate larger than 1 MiB is refused without reading all of it', async () => {
  const path = join(temporaryFolder(), 'cert.pem')
  writeFileSync(path, Buffer.alloc(1_048_577, 'x'))
  const emulator = await emulated()
  await expect(emulator.listen({ tls: { cert: path, key: path } })).rejects.toThrow('it has more than 1048576 bytes')
})

test('a seed file is found through a symbolic link', async () => {
  const path = join(temporaryFolder(), 'seed.json')
  writeFileSync(path, '{"accounts":[{"api_key":"by-link"}]}')
  symlinkSync(path, `${path}.link`)
  expect((await emulated({ seed: `${path}.link` })).apiKey).toBe('by-link')
})
