import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { afterRealTime } from '../../clock/clock.ts'
import { reasonPhrase } from '../response/reply.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import type { Connections } from './connections.ts'

/**
 * The most bytes of a head: 64 KiB of cookies, which all programs of this machine share on all ports
 * (RFC 6265 8.5), and the 16 KiB that web servers usually allow for a whole head.
 */
export const mostHeadBytes = 81_920

interface Refusal {
  readonly status: number
  readonly words: string
}

const tooLarge =
  'The head of this request has more than 80 KiB. If cookies fill it, they are those of all programs that were opened at this host name, on any port: delete them, or open the emulator by another name, such as localhost for 127.0.0.1.'

/** Node names what it could not read by a code. */
function refusalOf({ code, message }: NodeJS.ErrnoException): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, words: tooLarge }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, words: 'The extensions of a chunk have more than 16 KiB: send the body without them.' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, words: 'The head of this request did not arrive within a minute: send it again at once.' }
    default:
      return { status: 400, words: `This cannot be read as a request of HTTP/1.1 (${message}): is it meant for https?` }
  }
}

/** What a client gets of a request that no handler sees, as the text that a web server would send. */
export function refusedUnread({ status, words }: Refusal) {
  const body = `${status} ${reasonPhrase(status)}\n\n${words}\n`
  const length = String(Buffer.byteLength(body))
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': length, Connection: 'close' }
  return { status, headers, body }
}

/** Answers what Node cannot read; by itself it sends a status without a word. */
export function answerUnreadable(
  server: Server,
  { connections, limits }: { readonly connections: Pick<Connections, 'openAnswer'>; readonly limits: ConnectionLimits },
): void {
  const answered = new WeakSet<object>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // The rest of what it sent is unreadable too.
    if (answered.has(socket)) return
    answered.add(socket)
    const open = connections.openAnswer(socket)
    if (!socket.writable || open?.headersSent) return void socket.destroy()
    const { status, headers, body } = refusedUnread(refusalOf(error))
    const lines = Object.entries(headers).map((line) => line.join(': '))
    socket.end([`HTTP/1.1 ${status} ${reasonPhrase(status)}`, ...lines, '', body].join('\r\n'))
    if (open !== undefined) return socket.destroySoon()
    // A connection that closes over unread bytes is reset, and the client may lose the answer.
    socket.once(
      'close',
      afterRealTime(limits.lingerIdleMs, () => socket.destroy()),
    )
  })
}
