import { once } from 'node:events'
import { BlockList, connect, isIP, type Socket } from 'node:net'
import { invalidValue } from '../../checks/coded-error.ts'
import { aSecret, numberFrom, type OptionChecks } from '../../checks/options.ts'
import { aText, aWordOf, either, kindBy } from '../../checks/values.ts'
import { startTimer, systemClock } from '../../clock.ts'
import { type Environment, readVariable, withoutQuotes } from '../../system/environment.ts'
import { hostOf, isLoopback } from '../base-url.ts'
import { cutError, NO_CONNECTION, openingError, TransportError, USER_MISSING } from './transport.ts'

/** A proxy, and what names it: a variable, a flag; undefined for an option of the library. */
export interface NamedProxy {
  readonly url: string
  readonly place?: string | undefined
}

/** Where a request goes, and through which proxy. */
export interface Route {
  readonly url: URL
  /** Undefined to reach the URL directly. */
  readonly proxy: NamedProxy | undefined
}

export type ProxyOf = (url: URL) => NamedProxy | undefined

/** What the transports have in common that open connections. */
export interface ConnectionOptions {
  /** How long no byte may move in either direction; a slow transfer is never cut. Default: 120,000 ms; to connect, 10 s. */
  readonly idleTimeoutMs?: number | undefined
  /** Certificate authorities to trust instead of the system's, in PEM. */
  readonly ca?: string | undefined
  /** A proxy for every request, or `false` for none. Default: by the environment's proxy variables. */
  readonly proxy?: string | false | undefined
  /** The proxy variables. Default: the process's environment. */
  readonly env?: Environment | undefined
}

export const connectionChecks: OptionChecks<ConnectionOptions> = {
  idleTimeoutMs: numberFrom(1, 'milliseconds from 1 up'),
  ca: aText,
  proxy: either('the address of an HTTP proxy, or false', aWordOf([false]), aSecret),
  env: kindBy('an object of variables', (value) => typeof value === 'object' && value !== null),
}

/** @throws TypeError if the given proxy cannot be used */
export function proxyChoice({ proxy, env = process.env }: ConnectionOptions): ProxyOf {
  if (proxy === undefined) return (url) => proxyFromEnvironment(url, env)
  const given = proxy ? { url: parseProxy(proxy) } : undefined
  return () => given
}

/**
 * The proxy that the environment names for a URL, by the scheme's variable or ALL_PROXY; lower-case names win. NO_PROXY takes
 * what docs/library.md says. This machine is always reached directly, so that an emulator works behind a proxy.
 *
 * @returns the proxy, and the variable
 * @throws TypeError if the proxy is not an HTTP proxy
 */
export function proxyFromEnvironment(url: URL, env: Environment): NamedProxy | undefined {
  const set = (name: string) => [name.toLowerCase(), name].find((spelling) => readVariable(env, spelling))
  const place = set(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? set('ALL_PROXY')
  if (place === undefined || isLoopback(url.hostname)) return undefined
  const exempt = readVariable(env, set('NO_PROXY') ?? '') ?? ''
  if (exempt.split(/[\s,]+/).some((entry) => isExempt(url, entry.toLowerCase()))) return undefined
  return { url: parseProxy(env[place] ?? '', `${place}: `), place }
}

/** @param given without a scheme, `http://` is meant. @throws TypeError, by `start`, if it is not the URL of an HTTP proxy */
export function parseProxy(given: string, start = ''): string {
  const value = withoutQuotes(given)
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href
  const [from, end] = [value.indexOf('//') + 2, value.lastIndexOf('@') + 1]
  const withoutUser = end > from ? `${value.slice(0, from)}${value.slice(end)}` : value
  throw invalidValue(`${start}Only http:// and https:// proxies can be used, not ${JSON.stringify(withoutUser)}`)
}

function isExempt(url: URL, entry: string): boolean {
  // The last colon of a bare IPv6 address begins no port.
  const [, place = entry, port = portOf(url)] = /^(\[.*|[^:]*):(\d+)$/.exec(entry) ?? []
  if (Number(port) !== portOf(url)) return false
  if (place === '*') return true
  // A dot at the end only marks a name as complete.
  const host = hostOf(url).toLowerCase().replace(/\.$/, '')
  if (isIP(host) !== 0) return isWithin(place.replace(/^\[(.*)\]/, '$1'), host)
  const name = place.replace(/^\*?\./, '').replace(/\.$/, '')
  return host === name || host.endsWith(`.${name}`)
}

/** @param range an address, or a network in CIDR notation */
function isWithin(range: string, address: string): boolean {
  const [, network = '', prefix] = /^(.+?)(?:\/(\d{1,3}))?$/.exec(range) ?? []
  const family = isIP(network)
  const most = family === 6 ? 128 : 32
  const bits = Number(prefix ?? most)
  if (family === 0 || bits > most) return false
  const list = new BlockList()
  list.addSubnet(network, bits, family === 6 ? 'ipv6' : 'ipv4')
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

export function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

/** How a request names its target: a proxy without a tunnel needs the whole URL, and its credentials with each request. */
export function targetOf({ url, proxy }: Route) {
  const path = `${url.pathname}${url.search}`
  if (proxy === undefined || url.protocol !== 'http:') return { path, headers: {} }
  return { path: `${url.origin}${path}`, headers: proxyAuthorization(new URL(proxy.url)) }
}

/** The credentials of a proxy's URL, as a header. A % that encodes nothing stands for itself. */
export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const byte = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))
  const pair = `${username}:${password}`.replace(/%([0-9a-f]{2})/gi, byte)
  return { 'proxy-authorization': `Basic ${Buffer.from(pair, 'latin1').toString('base64')}` }
}

/** A proxy, which its message names, did not let an exchange through. */
export class ThroughProxyError extends TransportError {
  /** What names the proxy: a variable, a flag. */
  readonly place: string | undefined

  constructor(cause: TransportError, { url, place }: NamedProxy) {
    const named = `${new URL(url).host}${place === undefined ? '' : ` (${place})`}`
    const { failure, permanent, message } = cause
    super(failure, `through the proxy ${named}: ${message}`, { cause, permanent })
    this.place = place
  }
}

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
    const { ClientRequest } = await import('node:http')
    const request = new ClientRequest({
      method: 'CONNECT',
      path: authority,
      // The connection stays open as the tunnel.
      headers: { host: authority, connection: 'keep-alive', ...proxyAuthorization(proxy) },
      createConnection: () => this.#socket,
    })
    const opened = once(request.end(), 'connect').catch((error) => {
      if (error instanceof TransportError) throw error
      throw new TransportError('unreachable', 'it closed the connection instead of opening a tunnel')
    })
    request.on('error', () => {})
    const [{ statusCode: status = 0 }, , rest] = await opened
    const isOpen = status >= 200 && status <= 299
    if (isOpen && rest.length === 0) return
    const instead = isOpen ? 'the proxy sent an answer of its own' : `the proxy answered ${status}`
    const words = status === 407 ? USER_MISSING : `${instead} instead of opening a tunnel`
    // A 5xx may pass: the proxy, or a server behind it, is in trouble. So may an answer that is not one to CONNECT.
    throw new TransportError('unreachable', words, { permanent: !isOpen && status < 500 })
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
