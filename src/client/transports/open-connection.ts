import { once } from 'node:events'
import { ClientRequest } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import type { OptionChecks } from '../../checks/options.ts'
import { aText } from '../../checks/values.ts'
import { startTimer, systemClock } from '../../clock.ts'
import { hostOf } from '../base-url.ts'
import type { ProxyOptions, Route } from './proxy.ts'
import { portOf, proxyAuthorization, proxyChecks, ThroughProxyError, tunnelRefusal } from './proxy.ts'
import { cutError, idleTimeoutCheck, NO_CONNECTION, openingError, TransportError } from './transport.ts'

/** What the transports have in common that open connections. */
export interface ConnectionOptions extends ProxyOptions {
  /** How long no byte may move in either direction; a slow transfer is never cut. Default: 120,000 ms; to connect, 10 s. */
  readonly idleTimeoutMs?: number | undefined
  /** Certificate authorities to trust instead of the system's, in PEM. */
  readonly ca?: string | undefined
}

const idleTimeoutMs = idleTimeoutCheck
export const connectionChecks: OptionChecks<ConnectionOptions> = { idleTimeoutMs, ca: aText, ...proxyChecks }

/** Without it the system tries to connect for minutes. */
const LONGEST_OPENING_MS = 10_000

/** A connection to the host of a URL, through a proxy if one is named, with TLS for https: being opened, then open. */
export class Connection {
  /** The socket for requests, once it can be used. Every failure before that is a {@link TransportError}. */
  readonly ready: Promise<Socket>
  readonly #ca: string | undefined
  readonly #lowest: Socket
  #socket: Socket

  constructor({ url, proxy }: Route, options: Pick<ConnectionOptions, 'ca' | 'idleTimeoutMs'>) {
    const first = proxy === undefined ? url : new URL(proxy.url)
    this.#ca = options.ca
    this.#lowest = connect({ host: hostOf(first), port: portOf(first), noDelay: true })
    this.#socket = this.#lowest
    // An error between two steps must not bring the process down.
    this.#lowest.on('error', () => {})
    const longestMs = Math.min(options.idleTimeoutMs ?? LONGEST_OPENING_MS, LONGEST_OPENING_MS)
    const onLate = () => void this.#lowest.destroy(new TransportError('unreachable', NO_CONNECTION))
    const stop = startTimer(systemClock, longestMs, onLate)
    this.ready = this.#open(url, proxy && first)
      .finally(stop)
      .catch((error) => {
        this.reset()
        const failure = openingError(error)
        throw proxy !== undefined && failure instanceof TransportError ? new ThroughProxyError(failure, proxy) : failure
      })
    // One that is reset while it is being opened may have no reader.
    this.ready.catch(() => {})
  }

  /**
   * Aborts the connection, also while it is being opened, and drops bytes that have not left this machine. A normal close
   * would let the system send them, so that an upload that counts as lost would arrive after all.
   */
  reset(): void {
    this.#socket.destroy(new TransportError('interrupted', 'the connection was reset'))
  }

  async #open(url: URL, proxy: URL | undefined): Promise<Socket> {
    await once(this.#socket, 'connect')
    if (proxy?.protocol === 'https:') await this.#secure(hostOf(proxy))
    if (proxy && url.protocol === 'https:') await this.#tunnel(`${url.hostname}:${portOf(url)}`, proxy)
    if (url.protocol === 'https:') await this.#secure(hostOf(url))
    if (this.#socket.destroyed) throw new TransportError('unreachable', 'the connection was closed before its use')
    readOnAfterFailedWrite(this.#socket)
    this.#showResets(this.#socket)
    return this.#socket
  }

  async #secure(host: string): Promise<void> {
    const tls = await import('node:tls')
    const lower = this.#socket
    const servername = isIP(host) === 0 ? host : ''
    const upper = tls.connect({ socket: lower, host, servername, ALPNProtocols: ['http/1.1'], ca: this.#ca })
    // TLS does not see the errors of the socket below it.
    lower.on('error', (error) => upper.destroy(error))
    upper.on('error', () => {})
    this.#socket = upper
    await once(upper, 'secureConnect')
  }

  /** Asks a proxy for a tunnel, on the connection to it; afterwards the connection is the tunnel. */
  async #tunnel(authority: string, proxy: URL): Promise<void> {
    const request = new ClientRequest({
      method: 'CONNECT',
      path: authority,
      // The connection stays open as the tunnel.
      headers: { host: authority, connection: 'keep-alive', ...proxyAuthorization(proxy) },
      createConnection: () => this.#socket,
    })
    const refusal = await new Promise<TransportError | undefined>((resolve) => {
      request.once('connect', ({ statusCode = 0 }, _, rest: Buffer) => resolve(tunnelRefusal(statusCode, rest)))
      const closed = new TransportError('unreachable', 'it closed the connection instead of opening a tunnel')
      request.on('error', (error) => resolve(error instanceof TransportError ? error : closed))
      request.once('close', () => resolve(closed)).end()
    })
    if (refusal !== undefined) throw refusal
  }

  /**
   * Makes a reset an error of its own in both directions. Node reports a normal end where the last bytes arrive together with
   * a reset, but then the system no longer knows the other side; undici takes ECONNRESET for the end of an answer. And what
   * destroys the socket with an error, as an abort does, wants no more of what was written to arrive.
   */
  #showResets(socket: Socket): void {
    const { push, _destroy: destroy } = socket
    socket.push = (chunk, encoding) => {
      if (chunk !== null || this.#lowest.remoteAddress !== undefined) return push.call(socket, chunk, encoding)
      socket.destroy(cutError())
      return false
    }
    socket._destroy = (error, done) => {
      const isReset = error !== null && 'code' in error && error.code === 'ECONNRESET'
      // An ended socket has had its answer, and Node never closes one that is reset during its shutdown.
      if (error && !isReset && !socket.writableEnded && !socket.readableEnded) this.#lowest.resetAndDestroy()
      done(isReset ? cutError() : error)
      // TLS would tell of its close at once, and so before its error.
      process.nextTick(() => destroy.call(socket, error, () => {}))
    }
  }
}

/**
 * Keeps an early answer readable. A server may answer and close before it has read the whole body: the next write then
 * fails, and Node destroys the stream with the received answer in it. This delays that error until all is read.
 */
function readOnAfterFailedWrite(stream: Socket): void {
  const afterReading = (done: (error?: Error | null) => void) => (error?: Error | null) => {
    if (!error || stream.readableEnded || stream.destroyed) return done(error)
    // A connection that accepts no more bytes has an end to read, or an error that destroys the stream.
    stream.once('end', () => done(error))
  }
  const { _write: write, _writev: writev } = stream
  stream._write = (chunk, encoding, done) => write.call(stream, chunk, encoding, afterReading(done))
  if (writev) stream._writev = (chunks, done) => writev.call(stream, chunks, afterReading(done))
}
