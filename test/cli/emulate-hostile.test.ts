import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { jpegBytes } from '../helpers/media.ts'
import { createRig, fhCommand } from '../helpers/rig.ts'
import { runningEmulator } from '../helpers/running-emulator.ts'

test('fh emulate answers targets and ranges that are hostile in form or length, and the next request too', async () => {
  const { port, call } = await runningEmulator()
  const ask = async (target: string, range = 'bytes=0-') => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${target} HTTP/1.1\r\nHost: h\r\nRange: ${range}\r\nConnection: close\r\n\r\n`)
    return Number((await text(socket)).split(' ')[1])
  }
  expect(await ask(`/api${'/'.repeat(15_000)}x`)).toBe(414)
  expect(await ask(`/api${'/'.repeat(7_000)}x`)).toBe(404)
  expect(await ask(`/${'%2F'.repeat(2_500)}x`)).toBe(404)
  expect(await ask('/i/nothing.jpg', `bytes=${' '.repeat(15_500)}x`)).toBe(404)
  expect((await call('/api/stats')).status).toBe(200)
})

test('fh emulate refuses faults nested 200,000 deep, arms none, and answers every request as before', async () => {
  const { call } = await runningEmulator()
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  for (const body of [deep, `[{"action":{"type":"status","status":503,"body":${deep}}}]`]) {
    const refused = await call('/_emulator/faults', { method: 'PUT', body })
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { message: expect.any(String) } }])
  }
  expect((await call('/api/stats')).status).toBe(200)
  const armed = await call('/_emulator/faults')
  expect([armed.status, await armed.json()]).toEqual([200, []])
})

test.each([[[]], [['-q']]])(
  'fh emulate %j --clock virtual says once that its clock stands still while fh upload waits for quota',
  async (flags) => {
    const rig = await createRig()
    const files = ['a.jpg', 'b.jpg', 'c.jpg']
    for (const [index, file] of files.entries()) await rig.write(file, jpegBytes(10 + index))
    const upload = [...fhCommand, 'upload', '-q', ...files]
    const running = rig.start(['emulate', ...flags, '--clock', 'virtual', '--', ...upload])
    await running.printed('stderr', /stands still.*\n/)
    running.child.kill('SIGTERM')
    const { stderr } = await running.ended
    expect(stderr.split('\n').filter((line) => line.includes('stands still'))).toEqual([
      expect.stringMatching(
        /^The emulator's clock stands still at \S+, and a client may wait for quota until \S+; advance it \(POST http:\S+\/_emulator\/clock\), or run with --clock system$/,
      ),
    ])
  },
)
