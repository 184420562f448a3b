import { expect, test } from 'vitest'
import { createRig, jsonLines } from '../helpers/rig.ts'
import { runningEmulator } from '../helpers/running-emulator.ts'

const key = 'my-secret-key'

test('emulate -v prints a line for each request, without the key, and marks injected faults, but not for control API requests', async () => {
  const rig = await createRig()
  const running = rig.start(['emulate', '--port', '0', '--api-key', key, '-v'])
  const text = await running.printed('stdout', /^export .*\n/m)
  const [, baseUrl = ''] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(text) ?? []
  const ask = async (path: string, line: RegExp, headers: Record<string, string> = { 'X-Api-Key': key }) => {
    await fetch(`${baseUrl}${path}`, { headers }).catch(() => {})
    await running.printed('stderr', line)
  }
  await ask('/api/stats', /^\d\d:\d\d:\d\d GET \/api\/stats: 200, 1 unit\n/m)
  await ask(`/api/uploads?page=2&api_key=${key}`, / GET \/api\/uploads: 200, .*\n/m, {})
  const body = JSON.stringify([{ match: { path: '/api/stats' }, times: 1, action: { type: 'reset_before' } }])
  expect((await fetch(`${baseUrl}/_emulator/faults`, { method: 'PUT', body })).status).toBe(200)
  await ask('/api/stats', / GET \/api\/stats: 499, .*, fault: reset_before\n/m)
  running.child.kill('SIGTERM')
  expect((await running.ended).stderr).not.toMatch(`${key}|_emulator`)
})

test('emulate -v --json prints requests on stderr as the control API has them, and one line on stdout', async () => {
  const { call, running, stop } = await runningEmulator('-v', '--api-key', key)
  await call('/api/stats', { headers: { 'X-Api-Key': key, Referer: `http://h/?api_key=${key}` } })
  const told = await running.printed('stderr', /^.*\n/m)
  const asked = { type: 'request', method: 'GET', endpoint: '/api/stats', status: 200, cost: 1, account_id: 1 }
  expect([jsonLines(told), told.includes(key)]).toMatchObject([[asked], false])
  expect((await stop()).stdout.trimEnd().split('\n')).toHaveLength(1)
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
