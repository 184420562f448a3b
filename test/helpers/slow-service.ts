import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { tls } from '../client/every-transport.ts'
import { listening } from './listening.ts'
import { uploadObject } from './media.ts'

/** Larger than what both sides of a connection hold back, and different in every place. */
export const movingBytes = Buffer.alloc(16_000_000)
movingBytes.set([0xff, 0xd8, 0xff, 0xe0])
for (let at = 4; at < movingBytes.length; at += 4) movingBytes.writeUInt32LE(Math.imul(at, 0x9e3779b1) >>> 0, at)

export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** The SHA-256 of the file in a form, read in small pieces with pauses between them. */
async function slowlyHashed(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) {
    pieces.push(piece)
    for (let turn = 0; turn < 3; turn += 1) await nextTurn()
  }
  const body = Buffer.concat(pieces)
  return sha256Of(body.subarray(body.indexOf('\r\n\r\n') + 4, body.lastIndexOf('\r\n--')))
}

/** A service that reads uploads slowly, and a proxy before it with and without a tunnel. */
export async function slowService() {
  const hashes: string[] = []
  const targets: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    targets.push(`${request.method} ${request.url}`)
    hashes.push(await slowlyHashed(request))
    const upload = { ...uploadObject, size: movingBytes.length }
    response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify({ upload }))
  }
  const proxy = createServer(answer).on('connect', ({ url }: IncomingMessage, socket) => {
    targets.push(`CONNECT ${url}`)
    const onward = connect(Number(String(url).split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  const open = async (server: Server, scheme: string) => `${scheme}://127.0.0.1:${await listening(server)}`
  return {
    plain: await open(createServer(answer), 'http'),
    secure: await open(createTlsServer(tls, answer), 'https'),
    proxy: await open(proxy, 'http'),
    /** Of the files that came. */
    hashes,
    /** What services and proxy were asked for. */
    targets,
  }
}
