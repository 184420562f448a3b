import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createRig, jsonLines } from '../helpers/rig.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))

/** An emulator with a certificate that no machine trusts, and a rig that uses it. */
async function emulatorWithTls() {
  const rig = await createRig()
  const tls = ['--tls-cert', fixture('certificate.pem'), '--tls-key', fixture('key.pem')]
  const emulator = rig.start(['emulate', '--port', '0', '--json', '--api-key', 'key', ...tls])
  const [ready] = jsonLines(await emulator.printed('stdout', /\n/))
  const { host } = new URL(String(ready?.['base_url']))
  const env = { FH_BASE_URL: `https://${host}`, FH_API_KEY: 'key' }
  return { fh: (...args: readonly string[]) => rig.fh(args, { env }) }
}

test('a certificate that is not trusted ends with 1 after one try, and the hint names --ca-cert, which fixes it', async () => {
  const { fh } = await emulatorWithTls()
  const { code, stderr } = await fh('stats', '--json')
  const failed = { code: 'connection-failed', exit_code: 1, hint: expect.stringContaining('--ca-cert FILE') }
  expect([code, jsonLines(stderr)]).toMatchObject([1, [failed]])
  const stdout = expect.stringMatching(/^fail +tls .*self.signed certificate\n +For an authority.* --ca-cert FILE/m)
  expect(await fh('doctor')).toMatchObject({ code: 1, stdout })
  expect((await fh('stats', '--ca-cert', fixture('certificate.pem'))).code).toBe(0)
})
