import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'

function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))
}

const certificate = fixture('certificate.pem')

/** The status of a GET that trusts the fixture's certificate. */
function statusOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca: readFileSync(certificate), headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject).end()
  })
}

test('with a certificate the emulator uses https, and links to --site-url', async () => {
  const rig = await createRig()
  const tls = ['--tls-cert', certificate, '--tls-key', fixture('key.pem')]
  const args = ['emulate', '--json', '--port', '0', '--api-key', 'k', '--site-url', 'https://files.test/', ...tls]
  const running = rig.start(args)
  const ready = JSON.parse(await running.printed('stdout', /\n/))
  expect(ready).toMatchObject({
    base_url: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
    control_url: `${ready.base_url}/_emulator`,
    site_url: 'https://files.test',
  })
  expect(ready.control_token).toMatch(/^\w{40}$/)
  expect(await statusOf(`${ready.base_url}/api/stats`, { 'X-Api-Key': 'k' })).toBe(200)
  expect(await statusOf(`${ready.control_url}/health`)).toBe(200)
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(0)
})

test('an emulator that other machines can reach prints the token of its control API', async () => {
  const rig = await createRig()
  const given = rig.start(['emulate', '--json', '--host', '0.0.0.0', '--port', '0', '--control-token', 'my-token'])
  expect(JSON.parse(await given.printed('stdout', /\n/)).control_token).toBe('my-token')
  given.child.kill('SIGTERM')
  const made = rig.start(['emulate', '--host', '0.0.0.0', '--port', '0'])
  const text = await made.printed('stdout', /^export .*\n/m)
  expect(text).toMatch(/^Control token, for other machines: [A-Za-z0-9]{40}$/m)
  expect(text).toMatch(/^Website: http:\S+\/login, email user@example\.com$/m)
  made.child.kill('SIGTERM')
  await Promise.all([given.ended, made.ended])
})

test.each([
  ['--host', '0.0.0.0'],
  ['--site-url', 'https://files.test'],
])('with %s %s the generated password is told once on stderr, under --json and -q too', async (...flags) => {
  const rig = await createRig()
  const running = rig.start(['emulate', '--json', '-q', '--port', '0', ...flags])
  await running.printed('stdout', /\n/)
  running.child.kill('SIGTERM')
  const { stdout, stderr } = await running.ended
  const { type, message } = JSON.parse(stderr)
  expect([type, message]).toEqual([
    'warning',
    expect.stringMatching(/password of user@example\.com is generated: \w{16}$/),
  ])
  expect(stdout).not.toContain(message.slice(-16))
})

test.each([
  [['--tls-cert', certificate], /^fh: Give --tls-cert and --tls-key together/],
  [
    ['--tls-cert', certificate, '--tls-key', 'none.pem'],
    /^fh: Cannot read the TLS key none\.pem: there is no such file/,
  ],
  [
    ['--tls-cert', certificate, '--tls-key', fixture('other-key.pem')],
    /^fh: The TLS key does not belong to the certificate/,
  ],
  [['--site-url', 'files.test'], /Give an http or https URL/],
  [['--control-token', 'two words'], /A token has no spaces/],
])('emulate %j is refused in one line', async (args, message) => {
  const { fh } = await createRig()
  const { code, stderr } = await fh(['emulate', '--port', '0', ...args])
  expect([code, stderr.trimEnd().split('\n').length <= 2]).toEqual([2, true])
  expect(stderr).toMatch(message)
})
