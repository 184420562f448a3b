import { expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'

const key = 'my-secret-key'

/** An emulator that prints its requests, and a function that sends some; `line` resolves once a whole line matches. */
async function talkative(...flags: readonly string[]) {
  const rig = await createRig()
  const running = rig.start(['emulate', '--port', '0', '--api-key', key, ...flags])
  const text = await running.printed('stdout', /^(export |\{).*\n/m)
  const [, baseUrl = ''] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(text) ?? []
  return {
    ask: (path: string, headers: Record<string, string> = { 'X-Api-Key': key }) =>
      fetch(`${baseUrl}${path}`, { headers }).then((response) => response.text()),
    put: (path: string, body: unknown) => fetch(`${baseUrl}${path}`, { method: 'PUT', body: JSON.stringify(body) }),
    line: (pattern: RegExp) => running.printed('stderr', pattern),
    async stop() {
      running.child.kill('SIGTERM')
      return await running.ended
    },
  }
}

test('emulate -v prints a line for each request, without the key, and marks injected faults, but not for control API requests', async () => {
  const { ask, put, line, stop } = await talkative('-v')
  await ask('/api/stats')
  await line(/^\d\d:\d\d:\d\d GET \/api\/stats: 200, \d+ ms, \d+ B, 1 unit, user@example\.com\n/m)
  await ask(`/api/uploads?page=2&api_key=${key}`, {})
  await line(/ GET \/api\/uploads\?page=2&api_key=\[redacted\]: 200, .*\n/m)
  await ask('/')
  await line(/ GET \/: 200, \d+ ms, [\d.]+ K?B\n/m)
  const fault = { match: { path: '/api/stats' }, times: 1, action: { type: 'reset_before' } }
  expect((await put('/_emulator/faults', [fault])).status).toBe(200)
  await expect(ask('/api/stats')).rejects.toThrow()
  await line(/ GET \/api\/stats: no answer, .*, fault: reset_before\n/m)
  const { stderr } = await stop()
  expect(stderr).not.toContain(key)
  expect(stderr).not.toContain('_emulator')
})

test('emulate -v --json prints the requests as JSON on stderr, and only the ready line on stdout', async () => {
  const { ask, line, stop } = await talkative('-v', '--json')
  await ask('/api/stats')
  const [text = ''] = (await line(/^.*\n/m)).split('\n')
  const asked = { type: 'request', method: 'GET', path: '/api/stats', status: 200, complete: true }
  expect(JSON.parse(text)).toMatchObject({ ...asked, cost: 1, account: 'user@example.com', fault: null })
  expect((await stop()).stdout.trimEnd().split('\n')).toHaveLength(1)
})

test('emulate --debug prints the headers of requests and answers, without the key', async () => {
  const { ask, line, stop } = await talkative('--debug')
  await ask('/api/stats', { 'X-Api-Key': key, Referer: `http://h/?api_key=${key}` })
  const text = await line(/^ {2}< Content-Length: \d+\n/m)
  expect(text).toMatch(/^ {2}> x-api-key: \[redacted\]$/m)
  expect(text).toMatch(/^ {2}< X-RateLimit-Cost: 1$/m)
  expect((await stop()).stderr).not.toContain(key)
})

test.each([
  ['emulate with a command', [], /^The emulator is ready at http:\/\/127\.0\.0\.1:\d+\n$/],
  ['emulate -v with a command', ['-v'], /^export FH_BASE_URL=(?:.*\n)+.* GET \/api\/stats: 401, .*\n$/m],
])('%s prints one line with its address, and the requests only with -v', async (_, flags, stderr) => {
  const { fh, write } = await createRig()
  await write('ask.mjs', 'await fetch(process.env.FH_BASE_URL + "/api/stats")')
  const ended = await fh(['emulate', ...flags, '--', process.execPath, 'ask.mjs'])
  expect(ended).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(stderr) })
})
