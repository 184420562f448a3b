import { ClientRequest } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import type { OptionChecks } from '../../checks/options.ts'
import { aText } from '../../checks/values.ts'
import { startTimer, systemClock } from '../../clock.ts'
import { hostOf } from '../base-url.ts'
import type { ProxyOptions, Route } from './proxy.ts'
import { proxyAuthorization, proxyChecks, ThroughProxyError, tunnelRefusal } from './proxy.ts'
import { defaultIdleTimeoutMs, TransportError } from './transport.ts'
import { idleTimeoutCheck, NO_CONNECTION, openingError } from './transport-failure.ts'

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
const LONGEST_CONNECT_MS = 10_000
/** A proxy connects to the host before it answers. */
const LONGEST_STEP_MS = 30_000

/** A connection to the host of a URL, through a proxy if one is named, with TLS for https: being opened, then open. */
export class Connection {
  /** The socket for requests, once it can be used. Every failure before that is a {@link TransportError}. */
  readonly ready: Promise<Socket>
  /**
   * Whether the connection ended by a reset. Where its last bytes arrive together with the reset, Node reports a normal end;
   * but after a reset alone the system no longer knows the other side.
   */
  isCut = false
  readonly #lowest: Socket
  readonly #ca: string | undefined
  readonly #longestMs: number
  #socket: Socket
  #isOpen = false

  constructor({ url, proxy }: Route, options: Pick<ConnectionOptions, 'ca' | 'idleTimeoutMs'>) {
    const first = proxy === undefined ? url : new URL(proxy.url)
    this.#ca = options.ca
    this.#longestMs = options.idleTimeoutMs ?? defaultIdleTimeoutMs
    this.#lowest = connect({ host: hostOf(first), port: portOf(first), noDelay: true })
    this.#socket = this.#lowest
    // An error between two steps must not bring the process down.
    this.#lowest.on('error', () => {})
    this.ready = this.#open(url, proxy && first).catch((error) => {
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
    // An ended socket has had its answer, and Node never closes one that is reset during its shutdown.
    if (this.#isOpen && !this.#socket.writableEnded && !this.#lowest.destroyed) this.#lowest.resetAndDestroy()
    else this.#lowest.destroy()
    this.#socket.destroy()
  }

  async #open(url: URL, proxy: URL | undefined): Promise<Socket> {
    await this.#done('connect', LONGEST_CONNECT_MS)
    if (proxy?.protocol === 'https:') await this.#secure(hostOf(proxy))
    if (proxy !== undefined && url.protocol === 'https:') await this.#tunnel(`${url.hostname}:${portOf(url)}`, proxy)
    if (url.protocol === 'https:') await this.#secure(hostOf(url))
    if (this.#socket.destroyed) throw new TransportError('unreachable', 'the connection was closed before its use')
    readOnAfterFailedWrite(this.#socket)
    this.#watchEnd()
    this.#isOpen = true
    return this.#socket
  }

  async #secure(host: string): Promise<void> {
    const tls = await import('node:tls')
    const lower = this.#socket
    const servername = isIP(host) === 0 ? host : ''
    const trusted = this.#ca === undefined ? {} : { ca: this.#ca }
    const upper = tls.connect({ socket: lower, host, servername, ALPNProtocols: ['http/1.1'], ...trusted })
    // TLS does not see the errors of the socket below it.
    lower.on('error', (error) => upper.destroy(error))
    upper.on('error', () => {})
    this.#socket = upper
    await this.#done('secureConnect', LONGEST_STEP_MS)
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
    await this.#step(LONGEST_STEP_MS, 'it opened no tunnel in time', ({ resolve, reject }) => {
      request.once('connect', ({ statusCode = 0 }, _, rest: Buffer) => {
        const refusal = tunnelRefusal(statusCode, rest)
        if (refusal === undefined) resolve()
        else reject(refusal)
      })
      const broken = (cause?: unknown) =>
        reject(new TransportError('unreachable', 'it closed the connection instead of opening a tunnel', { cause }))
      request.on('error', broken)
      request.once('close', () => broken())
      request.end()
    })
  }

  async #done(event: 'connect' | 'secureConnect', longestMs: number): Promise<void> {
    await this.#step(longestMs, NO_CONNECTION, ({ resolve, reject }) => {
      this.#socket.once(event, resolve).once('error', reject)
      this.#socket.once('close', () => reject(new TransportError('unreachable', 'the connection was closed at once')))
    })
  }

  /** Waits for one step of opening. @param late what to say if it takes longer */
  async #step(longestMs: number, late: string, begin: (step: PromiseWithResolvers<void>) => void): Promise<void> {
    const step = Promise.withResolvers<void>()
    const expired = () => step.reject(new TransportError('unreachable', late))
    const stop = startTimer(systemClock, Math.min(this.#longestMs, longestMs), expired)
    begin(step)
    await step.promise.finally(stop)
  }

  #watchEnd(): void {
    const { push } = this.#socket
    this.#socket.push = (chunk, encoding) => {
      this.isCut ||= chunk === null && this.#lowest.remoteAddress === undefined
      return push.call(this.#socket, chunk, encoding)
    }
    this.#socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      this.isCut ||= code === 'ECONNRESET'
    })
  }
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
