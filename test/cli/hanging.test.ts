import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { deferred } from '../helpers/deferred.ts'
import { listening } from '../helpers/listening.ts'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { endless, endlessUnread, interruptSeen, reportedInterrupts } from '../helpers/preload.ts'
import { createRig, type Running } from '../helpers/rig.ts'
import { held, scriptedServer } from '../helpers/scripted-server.ts'

const upload = ['upload', '--json', mediaPath('photo.jpg')]

/** Presses Ctrl-C twice, the second time once the first has been seen. */
async function pressTwice({ child, printed, ended }: Running) {
  child.kill('SIGINT')
  await printed('stderr', interruptSeen)
  child.kill('SIGINT')
  return await ended
}

test.each([['stats'], upload])('two Ctrl-C end fh %s with 130 behind a proxy that opens no tunnel', async (...args) => {
  const asked = deferred()
  const proxy = createServer((socket) => void socket.once('data', () => asked.resolve()))
  const rig = await createRig({ service: { baseUrl: 'https://files.example' } })
  const flags = ['--proxy', `http://127.0.0.1:${await listening(proxy)}`]
  const running = rig.start([...args, ...flags], { env: reportedInterrupts })
  await asked.promise
  expect((await pressTwice(running)).code).toBe(130)
})

test.each([
  ['the upload is not answered', reportedInterrupts],
  ['a timer never ends', endless],
  ['its output is not read and a timer never ends', endlessUnread],
])('the second Ctrl-C ends fh with 130 although %s, and reports the unknown outcome', async (_, env) => {
  const answer = held(201, { upload: uploadObject })
  const rig = await createRig({ service: await scriptedServer(answer.step) })
  const running = rig.start(upload, { env })
  await answer.reached
  const { code, stdout } = await pressTwice(running)
  expect(code).toBe(130)
  if (env === endlessUnread) return
  expect(JSON.parse(stdout)).toMatchObject([{ status: 'unknown', error: { code: 'outcome-unknown' } }])
})
