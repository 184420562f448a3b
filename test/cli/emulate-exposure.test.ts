import { expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'
import { runningEmulator, startEmulator } from '../helpers/running-emulator.ts'
import { tlsFiles } from '../helpers/tls.ts'

test('with a certificate the emulator uses https, and links to --site-url', async () => {
  const tls = ['--tls-cert', tlsFiles.cert, '--tls-key', tlsFiles.key]
  const { ready, rig } = await runningEmulator('--site-url', 'https://files.test/', ...tls)
  expect(ready).toMatchObject({
    base_url: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
    control_url: `${ready.base_url}/_emulator`,
    control_token: expect.stringMatching(/^\w{40}$/),
    site_url: 'https://files.test',
  })
  const env = { FH_BASE_URL: ready.base_url, FH_API_KEY: 'k' }
  expect((await rig.fh(['stats', '--ca-cert', tlsFiles.cert], { env })).code).toBe(0)
})

test('an emulator that other machines can reach prints the token of its control API', async () => {
  const given = await runningEmulator('--host', '0.0.0.0', '--control-token', 'my-token')
  expect(given.ready.control_token).toBe('my-token')
  const text = await given.rig.start(['emulate', '--host', '0.0.0.0', '--port', '0']).printed('stdout', /^export .*\n/m)
  expect(text).toMatch(/^Control token, for other machines: [A-Za-z0-9]{40}$/m)
  expect(text).toMatch(/^Website: http:\S+\/login, email user@example\.com$/m)
})

test('FH_CONTROL_TOKEN is the token where no flag gives one, and emulate env sends it', async () => {
  const env = { FH_CONTROL_TOKEN: 'from-env' }
  const { rig, ready, port } = await startEmulator(await createRig(), ['--host', '0.0.0.0'], { env })
  expect(ready.control_token).toBe('from-env')
  // A name that is not one of this machine: the control API requires its token.
  const ask = (...words: string[]) => rig.fh(['emulate', 'env', `http://0.0.0.0:${port}`, ...words], { env })
  expect(await ask()).toMatchObject({ code: 0, stdout: expect.stringContaining("FH_API_KEY='k'\n") })
  expect((await ask('--control-token', 'other')).code).toBe(5)
  const spaced = await rig.fh(['emulate', '--', 'true'], { env: { FH_CONTROL_TOKEN: 'two words' } })
  expect(spaced).toMatchObject({
    code: 2,
    stderr: 'fh: FH_CONTROL_TOKEN: a token has no spaces and no special letters\n',
  })
})

test.each([
  ['--host', '0.0.0.0'],
  ['--site-url', 'https://files.test'],
])('with %s %s the generated password is told once on stderr, under --json and -q too', async (...flags) => {
  const { stop } = await runningEmulator('-q', ...flags)
  const { stdout, stderr } = await stop()
  const { type, message } = JSON.parse(stderr)
  const told = expect.stringMatching(/password of user@example\.com is generated, and told only now: \w{16}$/)
  expect([type, message]).toEqual(['warning', told])
  expect(stdout).not.toContain(message.slice(-16))
})
