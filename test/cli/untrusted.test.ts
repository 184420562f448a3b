import { expect, test } from 'vitest'
import { jsonLines } from '../helpers/rig.ts'
import { runningEmulator } from '../helpers/running-emulator.ts'
import { tlsFiles } from '../helpers/tls.ts'

test('a certificate that is not trusted ends with 1 after one try, and the hint names --ca-cert, which fixes it', async () => {
  const { rig, baseUrl } = await runningEmulator('--tls-cert', tlsFiles.cert, '--tls-key', tlsFiles.key)
  const fh = (...args: readonly string[]) => rig.fh(args, { env: { FH_BASE_URL: baseUrl, FH_API_KEY: 'k' } })
  const { code, stderr } = await fh('stats', '--json')
  const failed = { code: 'connection-failed', exit_code: 1, hint: expect.stringContaining('--ca-cert FILE') }
  expect([code, jsonLines(stderr)]).toMatchObject([1, [failed]])
  const stdout = expect.stringMatching(/^fail +tls .*self.signed certificate\n +For an authority.* --ca-cert FILE/m)
  expect(await fh('doctor')).toMatchObject({ code: 1, stdout })
  expect((await fh('stats', '--ca-cert', tlsFiles.cert)).code).toBe(0)
})
