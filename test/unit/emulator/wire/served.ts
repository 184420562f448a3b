import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { HttpHandler } from '../../../../emulator/http.ts'
import { type ListenOptions, listen } from '../../../../emulator/wire/listen.ts'

/** A server of its own, which closes with the test. */
export async function served(handle: HttpHandler, options: ListenOptions = {}, lingerMs?: number) {
  const listener = await listen(handle, options, lingerMs === undefined ? {} : { lingerMs })
  onTestFinished(() => listener.close())
  return listener
}

/** A client on a raw socket that has sent this, with everything it received and how its connection ended. */
export function rawClient(to: number | Socket, text = '') {
  const socket = typeof to === 'number' ? connect({ port: to, host: '127.0.0.1', allowHalfOpen: true }) : to
  const seen = { text: '', ended: false, closed: false, error: undefined as Error | undefined }
  socket.setEncoding('utf8').on('data', (received: string) => {
    seen.text += received
  })
  socket.on('end', () => Object.assign(seen, { ended: true })).on('close', () => Object.assign(seen, { closed: true }))
  socket.on('error', (error) => Object.assign(seen, { error }))
  onTestFinished(() => void socket.destroy())
  const send = (bytes: Buffer | string) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  if (text !== '') void send(text)
  return { seen, send, socket }
}
