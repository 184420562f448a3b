import { once } from 'node:events'
import type { Socket } from 'node:net'

/** Reads a connection to its end: the head, as much of the body as came, and the error that broke it. */
export async function received(socket: Socket) {
  const chunks: Buffer[] = []
  let code: string | undefined
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', (error: NodeJS.ErrnoException) => {
    code = error.code
  })
  await once(socket, 'close').catch(() => {})
  const bytes = Buffer.concat(chunks)
  const end = bytes.indexOf('\r\n\r\n')
  const head = bytes.subarray(0, end).toString()
  const declared = Number(/content-length: (\d+)/i.exec(head)?.[1])
  return {
    code,
    head,
    status: Number(head.split(' ')[1]),
    body: bytes.subarray(end + 4),
    declared,
    bytes: bytes.length,
  }
}
