import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEmulator } from '../../../emulator/index.ts'
import { emulated } from './emulated.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'given-file-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test.runIf(process.platform === 'linux')('a seed that is a device without an end is refused at once', async () => {
  await expect(createEmulator({ seed: '/dev/zero' })).rejects.toThrow(
    'Cannot read the seed /dev/zero: it is neither a regular file nor a pipe',
  )
})

test.runIf(process.platform === 'linux')('a TLS key that is a device without an end is refused at once', async () => {
  const emulator = await emulated()
  await expect(emulator.listen({ tls: { cert: '/dev/zero', key: '/dev/zero' } })).rejects.toThrow(
    /^Cannot read the TLS \w+ \/dev\/zero: it is neither a regular file nor a pipe$/,
  )
})

test('a TLS certificate of more than a mebibyte is refused before all of it is read', async () => {
  const path = join(folder(), 'cert.pem')
  writeFileSync(path, Buffer.alloc(1_048_577, 'x'))
  const emulator = await emulated()
  await expect(emulator.listen({ tls: { cert: path, key: path } })).rejects.toThrow('it has more than 1048576 bytes')
})

test('a seed is found where a link leads to it, as its owner meant', async () => {
  const path = join(folder(), 'seed.json')
  writeFileSync(path, '{"accounts":[{"api_key":"by-link"}]}')
  symlinkSync(path, `${path}.link`)
  expect((await emulated({ seed: `${path}.link` })).apiKey).toBe('by-link')
})
