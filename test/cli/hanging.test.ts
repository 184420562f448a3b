import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mediaPath, uploadObject } from '../helpers/media.ts'
import { endless, endlessUnread, interruptSeen, reportedInterrupts } from '../helpers/preload.ts'
import { createRig, type Running } from '../helpers/rig.ts'
import { held, scriptedServer } from '../helpers/scripted-server.ts'

/** A proxy that does the same with every wish for a tunnel; `asked` resolves with the first. */
async function evilProxy(behave: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  let tellAsked = () => {}
  const asked = new Promise<void>((resolve) => {
    tellAsked = resolve
  })
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => {
      tellAsked()
      behave(socket)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
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
])('behind a proxy that is asked for a tunnel and %s', (_, behave) => {
  test.each([
    ['stats', []],
    ['upload', [mediaPath('photo.jpg')]],
  ])('two Ctrl-C end fh %s with 130', async (command, files) => {
    const { proxy, asked } = await evilProxy(behave)
    const rig = await createRig({ service: { baseUrl: 'https://files.example' } })
    const running = rig.start([command, ...files, '--proxy', proxy], { env: reportedInterrupts })
    await asked
    await pressTwice(running)
    expect((await running.ended).code).toBe(130)
  })
})

test.each([
  ['something goes on that nothing can end', endless],
  ['what it prints is not read, and something goes on that nothing can end', endlessUnread],
])('the second Ctrl-C ends fh with 130 although %s', async (_, env) => {
  const upload = held(201, { upload: uploadObject })
  const rig = await createRig({ service: await scriptedServer(upload.step) })
  const running = rig.start(['upload', '--json', mediaPath('photo.jpg')], { env })
  await upload.reached
  await pressTwice(running)
  expect((await running.ended).code).toBe(130)
})
