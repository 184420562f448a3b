import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { jpegBytes } from '../helpers/media.ts'
import { createRig, jsonLines } from '../helpers/rig.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))

test('a certificate that is not trusted ends with 1 after one try, and the hint names --ca-cert, which fixes it', async () => {
  const { start, fh } = await createRig()
  const tls = ['--tls-cert', fixture('certificate.pem'), '--tls-key', fixture('key.pem')]
  const emulator = start(['emulate', '--port', '0', '--json', '--api-key', 'key', ...tls])
  const [ready] = jsonLines(await emulator.printed('stdout', /\n/))
  const env = { FH_BASE_URL: String(ready?.['base_url']), FH_API_KEY: 'key' }
  const { code, stderr } = await fh(['stats', '--json'], { env })
  expect([code, jsonLines(stderr)]).toMatchObject([
    1,
    [{ code: 'connection-failed', exit_code: 1, hint: expect.stringContaining('--ca-cert FILE') }],
  ])
  expect((await fh(['stats', '--ca-cert', fixture('certificate.pem')], { env })).code).toBe(0)
})

test('http to a TLS port ends with 1 after one try, with a hint to use https', async () => {
  const { start, fh, write } = await createRig()
  const tls = ['--tls-cert', fixture('certificate.pem'), '--tls-key', fixture('key.pem')]
  const emulator = start(['emulate', '--port', '0', '--json', '--api-key', 'key', ...tls])
  const [ready] = jsonLines(await emulator.printed('stdout', /\n/))
  const { host } = new URL(String(ready?.['base_url']))
  const env = { FH_BASE_URL: `http://${host}`, FH_API_KEY: 'key' }
  // Large enough to be asked for first: of an upload that was begun it is not known whether it arrived.
  await write('large.jpg', jpegBytes(2_000_000))
  const { code, stderr } = await fh(['upload', '--json', 'large.jpg'], { env })
  const { code: statsCode, stderr: said } = await fh(['stats'], { env })
  expect([code, statsCode, jsonLines(stderr)]).toMatchObject([1, 1, [{ code: 'connection-failed', exit_code: 1 }]])
  expect(said).toContain(`${host} speaks TLS on this port: use https://${host}`)
  expect(said).toContain('Begin the base URL with https://')
})
