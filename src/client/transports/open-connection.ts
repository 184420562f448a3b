import { connect, isIP, type Socket } from 'node:net'
import type { OptionChecks } from '../../checks/options.ts'
import { aText } from '../../checks/values.ts'
import { startTimer, systemClock } from '../../clock.ts'
import { hostOf } from '../base-url.ts'
import { type NamedProxy, type ProxyOptions, proxyChecks } from './proxy.ts'
import { defaultIdleTimeoutMs, TransportError } from './transport.ts'
import { connectTimeoutError, idleTimeoutCheck, openingError, ThroughProxyError } from './transport-failure.ts'
import { askForTunnel } from './tunnel.ts'

/** What the transports have in common that open connections. */
export interface ConnectionOptions extends ProxyOptions {
  /**
   * How long no byte may move in either direction; connecting takes 10 s at most, and a slow transfer is never cut.
   * Default: 120,000 ms.
   */
  readonly idleTimeoutMs?: number | undefined
  /** Certificate authorities to trust instead of the system's, in PEM. */
  readonly ca?: string | undefined
}

export const connectionChecks: OptionChecks<ConnectionOptions> = {
  idleTimeoutMs: idleTimeoutCheck,
  ca: aText,
  ...proxyChecks,
}

/** Where a connection leads. */
export interface ConnectionTarget {
  /** Only its scheme, host and port count. */
  readonly url: URL
  /** A proxy in between. */
  readonly proxy?: NamedProxy | undefined
  /** Certificate authorities in PEM to trust, in place of the system's. */
  readonly ca?: string | undefined
  /** How long each step of opening it may take. */
  readonly idleTimeoutMs?: number | undefined
  /** Called with the first byte that arrives on the open connection. */
  readonly onFirstByte?: ((byte: number) => void) | undefined
}

/** Without it the system tries to connect for minutes. */
const LONGEST_CONNECT_MS = 10_000
/** A proxy connects to the host before it answers. */
const LONGEST_STEP_MS = 30_000

/** Opens a connection to the host of a URL, through a proxy if one is named, with TLS for https. */
export function openConnection(route: ConnectionTarget) {
  const { url, ca, proxy, idleTimeoutMs = defaultIdleTimeoutMs, onFirstByte } = route
  const first = proxy === undefined ? url : new URL(proxy.url)
  const socket = connect({ host: hostOf(first), port: portOf(first), noDelay: true })
  let current: Socket = socket
  let isOpen = false
  let isCut = false
  // An error between two steps must not bring the process down.
  socket.on('error', () => {})

  async function withTls(host: string): Promise<void> {
    const tls = await import('node:tls')
    const servername = isIP(host) === 0 ? host : ''
    const lower = current
    const upper = tls.connect({
      socket: lower,
      host,
      servername,
      ALPNProtocols: ['http/1.1'],
      ...(ca !== undefined && { ca }),
    })
    // TLS does not see the errors of the socket below it.
    lower.on('error', (error) => upper.destroy(error))
    upper.on('error', () => {})
    current = upper
    await step(upper, 'secureConnect', Math.min(idleTimeoutMs, LONGEST_STEP_MS))
  }

  async function open(): Promise<Socket> {
    await step(socket, 'connect', Math.min(idleTimeoutMs, LONGEST_CONNECT_MS))
    if (proxy !== undefined) {
      if (first.protocol === 'https:') await withTls(hostOf(first))
      if (url.protocol === 'https:') {
        const authority = `${url.hostname}:${portOf(url)}`
        const tunnel = { authority, proxy: first, longestMs: Math.min(idleTimeoutMs, LONGEST_STEP_MS) }
        await askForTunnel(current, tunnel)
      }
    }
    if (url.protocol === 'https:') await withTls(hostOf(url))
    if (current.destroyed) throw new TransportError('unreachable', 'the connection was closed before it could be used')
    readOnAfterFailedWrite(current)
    watchReads(current, {
      onFirstByte,
      onEnd() {
        isCut = socket.remoteAddress === undefined
      },
    })
    current.on('error', ({ code }: NodeJS.ErrnoException) => {
      isCut ||= code === 'ECONNRESET'
    })
    isOpen = true
    return current
  }

  function reset(): void {
    // An ended socket has had its answer, and Node never closes one that is reset during its shutdown.
    if (isOpen && !current.writableEnded && !socket.destroyed) socket.resetAndDestroy()
    else socket.destroy()
    current.destroy()
  }

  const ready = open().catch((error) => {
    reset()
    throw throughProxy(openingError(error), proxy)
  })
  // A connection that is reset while it is being opened may have no reader of `ready`.
  ready.catch(() => {})
  return {
    /** The socket for requests, once it can be used. Every failure before that is a {@link TransportError}. */
    ready /**
     * Aborts the connection, also while it is being opened, and drops bytes that have not left this machine. A normal close
     * would let the system send them, so that an upload that counts as lost would arrive after all.
     */,
    reset,
    /**
     * Whether the connection ended by a reset. Where its last bytes arrive together with the reset, Node reports a normal
     * end; but after a reset alone the system no longer knows the other side.
     */
    isCut: () => isCut,
  }
}

/** A connection that is being opened, then open. */
export type Connection = ReturnType<typeof openConnection>

/** Waits for one step of opening. */
async function step(stream: Socket, done: 'connect' | 'secureConnect', longestMs: number): Promise<void> {
  let stop = () => {}
  const ended = new Promise<void>((resolve, reject) => {
    stream.once(done, resolve)
    stream.once('error', reject)
    stream.once('close', () => reject(new TransportError('unreachable', 'the connection was closed at once')))
    stop = startTimer(systemClock, longestMs, () => reject(connectTimeoutError()))
  })
  await ended.finally(stop)
}

function watchReads(stream: Socket, { onFirstByte, onEnd }: Pick<ConnectionTarget, 'onFirstByte'> & { onEnd(): void }) {
  const { push } = stream
  let tell = onFirstByte
  stream.push = (chunk: Buffer | null, encoding) => {
    if (chunk === null) onEnd()
    else if (chunk[0] !== undefined) tell?.(chunk[0])
    tell = undefined
    return push.call(stream, chunk, encoding)
  }
}

/** Names the proxy in the error, so that its failure is not taken for the service's. */
function throughProxy(error: unknown, proxy: NamedProxy | undefined): unknown {
  return proxy === undefined || !(error instanceof TransportError) ? error : new ThroughProxyError(error, proxy)
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

/**
 * Keeps an early answer readable. A server may answer and close before it has read the whole body: the next write then
 * fails, and Node destroys the stream with the received answer in it. This delays the error of a write until everything
 * received has been read.
 */
function readOnAfterFailedWrite(stream: Socket): void {
  type Done = (error?: Error | null) => void
  const afterReading =
    (done: Done): Done =>
    (error) => {
      if (!error || stream.readableEnded || stream.destroyed) return done(error)
      // A connection that accepts no more bytes has an end to read, or an error that destroys the stream.
      stream.once('end', () => done(error))
    }
  const { _write: write, _writev: writev } = stream
  stream._write = (chunk, encoding, done) => write.call(stream, chunk, encoding, afterReading(done))
  if (writev) stream._writev = (chunks, done) => writev.call(stream, chunks, afterReading(done))
}
