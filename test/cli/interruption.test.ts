import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { jpegBytes, mediaPath, uploadObject } from '../helpers/media.ts'
import { endless, endlessUnread, interruptSeen, reportedInterrupts } from '../helpers/preload.ts'
import { createRig } from '../helpers/rig.ts'
import { answer, held, scriptedServer } from '../helpers/scripted-server.ts'
import { until } from '../helpers/until.ts'

const stored = { upload: uploadObject }
const refusal = answer(429, { error: 'Rate limit exceeded (per hour).' }, { 'Retry-After': '3000' })

test('a call that waits for quota ends with the first signal', async () => {
  const rig = await createRig({ service: await scriptedServer(refusal) })
  const running = rig.start(['list'])
  await running.printed('stderr', /Waiting 50 min/)
  running.child.kill('SIGTERM')
  const { code, stderr } = await running.ended
  expect([code, stderr]).toEqual([143, expect.stringMatching(/^Waiting .*\nfh: interrupted\n$/)])
})

test.each([
  ['named', ['a1B2c3D4e5', 'f6G7h8I9j0']],
  ['chosen by a filter', ['--type', 'image']],
])(
  'deletions of uploads %s that wait for quota end with the first signal, are not started, and go on in the next run',
  async (_, choice) => {
    const page = {
      current_page: 1,
      data: [uploadObject, { ...uploadObject, slug: 'f6G7h8I9j0' }],
      last_page: 1,
      per_page: 50,
      total: 2,
    }
    const list = answer(200, page)
    const rig = await createRig({
      service: await scriptedServer(async (request, response) => {
        await (request.method === 'GET' ? list : refusal)(request, response)
      }),
    })
    const running = rig.start(['delete', '--yes', ...choice])
    await running.printed('stderr', /Waiting 50 min/)
    running.child.kill('SIGINT')
    const { code, stderr } = await running.ended
    expect([code, stderr]).toEqual([130, expect.stringMatching(/^Waiting .*\n/)])
    expect(stderr).toMatch(/not started/)
    expect(stderr).toContain('Run the same command again to continue')
    expect(stderr).not.toMatch(/Stopping|interrupted|failed/)
  },
)

test('a call of fh api that is in flight has the grace period to end: its answer is printed', async () => {
  const first = held(200, { deleted: true })
  const rig = await createRig({ service: await scriptedServer(first.step) })
  const { child, printed, ended } = rig.start(['api', 'DELETE', 'uploads/a1B2c3D4e5'])
  await first.reached.then(() => child.kill('SIGINT'))
  await printed('stderr', /Stopping: 1 in flight/)
  first.release()
  expect(await ended).toMatchObject({ code: 130, stdout: '{"deleted":true}\n' })
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends the reading of a key from a silent pipe with %d', async (signal, code) => {
  const rig = await createRig()
  const running = rig.start(['login', '--with-key', '--base-url', 'http://127.0.0.1:1'])
  // More than a pipe holds: once it is gone, it is being read.
  await new Promise((resolve) => running.child.stdin?.write(jpegBytes(2_000_000), resolve))
  running.child.kill(signal)
  expect(await running.ended).toMatchObject({ code, stderr: 'fh: interrupted\n' })
})

test('an interrupted upload of standard input leaves nothing behind', async () => {
  const rig = await createRig({ service: { baseUrl: 'http://127.0.0.1:1' } })
  const running = rig.start(['upload', '-', '--name', 'a.jpg'])
  // By less of it the type is not judged yet.
  running.child.stdin?.write(jpegBytes(8_192))
  await until(async () => (await readdir(rig.temporary)).length > 0)
  running.child.kill('SIGINT')
  expect((await running.ended).code).toBe(130)
  expect(await readdir(rig.temporary)).toEqual([])
})

test.each([
  ['the upload is not answered', reportedInterrupts],
  ['a timer never ends', endless],
  ['its output is not read and a timer never ends', endlessUnread],
])('the second Ctrl-C ends fh with 130 although %s, and reports the unknown outcome', async (_, env) => {
  const first = held(201, stored)
  const rig = await createRig({ service: await scriptedServer(first.step) })
  const { child, printed, ended } = rig.start(['upload', '--json', mediaPath('photo.jpg')], { env })
  await first.reached
  child.kill('SIGINT')
  await printed('stderr', interruptSeen)
  child.kill('SIGINT')
  const { code, stdout } = await ended
  expect(code).toBe(130)
  if (env === endlessUnread) return
  expect(JSON.parse(stdout)).toMatchObject([{ status: 'unknown', error: { code: 'outcome-unknown' } }])
})
