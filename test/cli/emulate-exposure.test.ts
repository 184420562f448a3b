import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runningEmulator } from '../helpers/running-emulator.ts'

const [certificate = '', key = ''] = ['certificate.pem', 'key.pem'].map((name) =>
  fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url)),
)

test('with a certificate the emulator uses https, and links to --site-url', async () => {
  const tls = ['--tls-cert', certificate, '--tls-key', key]
  const { ready, rig } = await runningEmulator('--site-url', 'https://files.test/', ...tls)
  expect(ready).toMatchObject({
    base_url: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
    control_url: `${ready.base_url}/_emulator`,
    control_token: expect.stringMatching(/^\w{40}$/),
    site_url: 'https://files.test',
  })
  const env = { FH_BASE_URL: ready.base_url, FH_API_KEY: 'k' }
  expect((await rig.fh(['stats', '--ca-cert', certificate], { env })).code).toBe(0)
})

test('an emulator that other machines can reach prints the token of its control API', async () => {
  const given = await runningEmulator('--host', '0.0.0.0', '--control-token', 'my-token')
  expect(given.ready.control_token).toBe('my-token')
  const text = await given.rig.start(['emulate', '--host', '0.0.0.0', '--port', '0']).printed('stdout', /^export .*\n/m)
  expect(text).toMatch(/^Control token, for other machines: [A-Za-z0-9]{40}$/m)
  expect(text).toMatch(/^Website: http:\S+\/login, email user@example\.com$/m)
})

test.each([
  ['--host', '0.0.0.0'],
  ['--site-url', 'https://files.test'],
])('with %s %s the generated password is told once on stderr, under --json and -q too', async (...flags) => {
  const { stop } = await runningEmulator('-q', ...flags)
  const { stdout, stderr } = await stop()
  const { type, message } = JSON.parse(stderr)
  const told = expect.stringMatching(/password of user@example\.com is generated: \w{16}$/)
  expect([type, message]).toEqual(['warning', told])
  expect(stdout).not.toContain(message.slice(-16))
})
