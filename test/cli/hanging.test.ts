import { createServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { deferred } from '../helpers/deferred.ts'
import { listening } from '../helpers/listening.ts'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { endless, endlessUnread, interruptSeen, reportedInterrupts } from '../helpers/preload.ts'
import { createRig, type Running } from '../helpers/rig.ts'
import { held, scriptedServer } from '../helpers/scripted-server.ts'

/** A proxy that treats every request for a tunnel the same; `asked` resolves with the first one. */
async function evilProxy(behave: (socket: Socket) => void) {
  const asked = deferred()
  const server = createServer((socket) => {
    socket.once('data', () => {
      asked.resolve()
      behave(socket)
    })
  })
  return { proxy: `http://127.0.0.1:${await listening(server)}`, asked: asked.promise }
}

/** Presses Ctrl-C twice, the second time once the first has been seen. */
async function pressTwice({ child, printed }: Running): Promise<void> {
  child.kill('SIGINT')
  await printed('stderr', interruptSeen)
  child.kill('SIGINT')
}

describe.each([
  ['ends the connection', (socket: Socket) => void socket.end()],
  ['ends it amid a status line', (socket: Socket) => void socket.end('HTTP/1.1 2')],
  ['is silent', () => {}],
])('a proxy that %s instead of opening a tunnel', (_, behave) => {
  test.each([
    ['stats', []],
    ['upload', [mediaPath('photo.jpg')]],
  ])('two Ctrl-C end fh %s with 130 behind a proxy that opens no tunnel', async (command, files) => {
    const { proxy, asked } = await evilProxy(behave)
    const rig = await createRig({ service: { baseUrl: 'https://files.example' } })
    const running = rig.start([command, ...files, '--proxy', proxy], { env: reportedInterrupts })
    await asked
    await pressTwice(running)
    expect((await running.ended).code).toBe(130)
  })
})

test.each([
  ['a timer never ends', endless],
  ['its output is not read and a timer never ends', endlessUnread],
])('the second Ctrl-C ends fh with 130 although %s', async (_, env) => {
  const upload = held(201, { upload: uploadObject })
  const rig = await createRig({ service: await scriptedServer(upload.step) })
  const running = rig.start(['upload', '--json', mediaPath('photo.jpg')], { env })
  await upload.reached
  await pressTwice(running)
  expect((await running.ended).code).toBe(130)
})
