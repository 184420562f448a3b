import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { isUint8Array } from 'node:util/types'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type HttpHandler, type HttpReply, type HttpRequest, noBody, type ReplyBody } from '../../http-types.ts'
import { isAscii } from '../../values/byte-length.ts'
import { plainAddress } from '../../values/ip-allowlist.ts'
import { andThen, type MaybePromise, orElse } from '../../values/maybe-promise.ts'
import { hostProblem, originsOf, urlHost } from '../request/addresses.ts'
import { ConnectionResetError } from '../request/request-body.ts'
import { reasonPhrase } from '../response/reply.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import type { Connections } from './connections.ts'
import { discardRest } from './lingering.ts'
import { refusedUnread } from './unreadable-requests.ts'

interface ServingContext {
  readonly handle: HttpHandler
  readonly server: Server
  readonly scheme: 'http' | 'https'
  readonly limits: ConnectionLimits
  readonly connections: Pick<Connections, 'markStream'>
  /** Whether a connection may serve further requests. */
  readonly keepsAlive: () => boolean
}

/** @returns serves a request on its connection; `onFirstRead` is called when its body is first read */
export function createServing({ handle, server, scheme, limits, connections, keepsAlive }: ServingContext) {
  const streaming = { limits, garbage: createByteGarbage() }
  const originOf = originsOf(scheme)

  const requestOf = (incoming: IncomingMessage, outgoing: ServerResponse, onFirstRead?: () => void): HttpRequest => ({
    method: incoming.method ?? 'GET',
    url: incoming.url ?? '/',
    origin: originOf(incoming.headers.host || localHost(incoming)),
    headers: incoming.headers,
    clientIp: plainAddress(incoming.socket.remoteAddress ?? ''),
    localPort: incoming.socket.localPort ?? 0,
    httpVersion: incoming.httpVersion,
    body: onFirstRead === undefined && hasNoBody(incoming) ? noBody : bodyOf(incoming, onFirstRead, streaming),
    clientGone: () => clientGoneSignal(outgoing),
  })

  const send = (
    { status, headers, body }: HttpReply,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): MaybePromise<unknown> => {
    if (!server.listening || !keepsAlive()) outgoing.shouldKeepAlive = false
    outgoing.writeHead(status, reasonPhrase(status), headers)
    if (headers['Content-Type'] === eventStream) connections.markStream(outgoing)
    const streamed = sendBody(body, outgoing, streaming)
    // Node calls a request complete only after its listeners have seen it.
    if (!incoming.complete && !hasNoBody(incoming)) discardRest(incoming, limits)
    return streamed
  }

  return (incoming: IncomingMessage, outgoing: ServerResponse, onFirstRead?: () => void): void => {
    const { url = '/', httpVersion, rawHeaders } = incoming
    const problem = hostProblem({ url, httpVersion, hosts: hostsIn(rawHeaders) }, originOf)
    const reply = () =>
      problem === undefined
        ? handle(requestOf(incoming, outgoing, onFirstRead))
        : refusedUnread({ status: 400, words: `${problem}.` })
    const answer = () => andThen(reply(), (whole) => send(whole, incoming, outgoing))
    void orElse<unknown>(answer, (error) => {
      // No reply is sent if the client is gone or the connection is to be reset.
      if (error instanceof ConnectionResetError && !outgoing.headersSent) resetConnection(incoming)
      else outgoing.destroy()
    })
  }
}

const eventStream = 'text/event-stream'

/** Sends a reset on a plain connection; with TLS, closes it without close_notify. */
function resetConnection({ socket }: IncomingMessage): void {
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}

interface Streaming {
  readonly limits: ConnectionLimits
  readonly garbage: ByteGarbage
}

/** The tail of a larger body may stay buffered until the client reads it, so reading is timed. */
const maxUnwatchedBytes = 65_536

/** @returns undefined if all is sent at once; a source is closed even if it was not read to its end */
function sendBody(body: ReplyBody, outgoing: ServerResponse, sending: Streaming): Promise<void> | undefined {
  if (body !== null && typeof body !== 'string' && !isUint8Array(body)) {
    return pipeline(withReadTimeout(body, outgoing, sending), outgoing)
  }
  const sent = typeof body === 'string' ? asSent(body) : body
  // Copied instead of encoded where it comes to the same.
  outgoing.end(sent, typeof sent === 'string' && isAscii(sent) ? 'latin1' : 'utf8')
  if (body !== null && body.length > maxUnwatchedBytes) outgoing.socket?.setTimeout(sending.limits.idleMs)
  return undefined
}

/** A short text is sent sooner in one piece with its head; one that is longer than any page would stay in memory. */
const [leastKept, mostKept] = [4_096, 1_048_576]

/** The last text of such a length: most clients ask for the same page again. */
let latest = { text: '', bytes: undefined as Buffer | undefined }

function asSent(text: string): string | Buffer {
  if (text.length < leastKept || text.length > mostKept) return text
  const bytes = text === latest.text ? (latest.bytes ?? Buffer.from(text)) : undefined
  latest = { text, bytes }
  return bytes ?? text
}

/** Cuts the connection if the client stops reading; the source itself may pause for any time. */
function withReadTimeout(
  source: AsyncIterable<Uint8Array>,
  { socket }: ServerResponse,
  { limits, garbage }: Streaming,
) {
  const iterator = source[Symbol.asyncIterator]()
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        socket?.setTimeout(0)
        const result = await iterator.next()
        socket?.setTimeout(limits.idleMs)
        if (result.done !== true) garbage.count(result.value.length)
        return result
      },
      return: async () => (await iterator.return?.()) ?? { done: true as const, value: undefined },
    }),
  }
}

/** Created only on request: most replies are sent before a client could disconnect. */
function clientGoneSignal(outgoing: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (outgoing.destroyed) gone.abort()
  else outgoing.once('close', () => gone.abort())
  return gone.signal
}

/** RFC 9112 6.3 */
function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}

/**
 * Ending the iteration early leaves the connection open for the reply. A client that sends nothing while its body is
 * read times out.
 */
async function* bodyOf(
  incoming: IncomingMessage,
  onFirstRead: (() => void) | undefined,
  { limits: { idleMs }, garbage }: Streaming,
): AsyncGenerator<Uint8Array> {
  onFirstRead?.()
  const { socket } = incoming
  try {
    socket.setTimeout(idleMs)
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      socket.setTimeout(0)
      yield chunk
      garbage.count(chunk.length)
      socket.setTimeout(idleMs)
    }
  } finally {
    socket.setTimeout(0)
  }
}

/** Of repeated ones Node shows only the first. */
function hostsIn(rawHeaders: readonly string[]): readonly string[] {
  const hosts: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '')
  }
  return hosts
}

function localHost({ socket }: IncomingMessage): string {
  return `${urlHost(socket.localAddress ?? '')}:${socket.localPort}`
}

/**
 * Node copies each chunk of a body, and V8 begins to free the copies once 32 MiB of them have gathered. A young
 * collection per 4 MiB takes about a millisecond and leaves half as much.
 */
const collectEveryBytes = 4_194_304

/** Frees what a stream leaves behind, every so many bytes. */
export function createByteGarbage() {
  let collect: Collector | undefined
  let left = 0
  return {
    /** Call for each chunk that is done with. */
    count(bytes: number) {
      left += bytes
      if (left < collectEveryBytes) return
      left = 0
      collect ??= youngCollector()
      collect({ type: 'minor' })
    },
  }
}

type ByteGarbage = ReturnType<typeof createByteGarbage>

type Collector = (options: { readonly type: 'minor' }) => void

/** V8 gives its collection of young objects only to contexts made while a flag is set; elsewhere, none has it because of this. */
function youngCollector(): Collector {
  setFlagsFromString('--expose-gc')
  const given: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  // Other runtimes have none.
  return typeof given === 'function' ? (given as Collector) : () => {}
}
