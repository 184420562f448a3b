import { BlockList, isIP } from 'node:net'
import { invalidValue } from '../../checks/coded-error.ts'
import { aSecret, type OptionChecks } from '../../checks/options.ts'
import { aWordOf, either, kindBy } from '../../checks/values.ts'
import { type Environment, readVariable, withoutQuotes } from '../../system/environment.ts'
import { hostOf, isLoopback } from '../base-url.ts'
import { TransportError } from './transport.ts'
import { USER_MISSING } from './transport-failure.ts'

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

export interface ProxyOptions {
  /** A proxy for every request, or `false` for none. Default: by the environment's proxy variables. */
  readonly proxy?: string | false | undefined
  /** The proxy variables. Default: the process's environment. */
  readonly env?: Environment | undefined
}

export const proxyChecks: OptionChecks<ProxyOptions> = {
  proxy: either('the address of an HTTP proxy, or false', aWordOf([false]), aSecret),
  env: kindBy('an object of variables', (value) => typeof value === 'object' && value !== null),
}

/** @throws TypeError if the given proxy cannot be used */
export function proxyChoice({ proxy, env = process.env }: ProxyOptions): ProxyOf {
  if (proxy === undefined) return (url) => proxyFromEnvironment(url, env)
  const given = proxy ? { url: parseProxy(proxy) } : undefined
  return () => given
}

/**
 * The proxy that the environment names for a URL: HTTPS_PROXY or HTTP_PROXY by scheme, else ALL_PROXY; lower-case names
 * win. NO_PROXY takes what curl and undici take: host names (with their subdomains; `.name` and `*.name` mean the same),
 * addresses and CIDR ranges, `*` for all, each with `:port` or without; IPv6 in brackets where a port follows. This machine
 * is always reached directly, so that an emulator works behind a proxy.
 *
 * A value without a scheme means `http://`.
 *
 * @returns the proxy, and the variable
 * @throws TypeError if the proxy is not an HTTP proxy
 */
export function proxyFromEnvironment(url: URL, env: Environment): NamedProxy | undefined {
  const set = (name: string) => [name.toLowerCase(), name].find((spelling) => readVariable(env, spelling))
  const place = set(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? set('ALL_PROXY')
  if (place === undefined || isLoopback(url.hostname) || isExempt(url, readVariable(env, set('NO_PROXY') ?? '') ?? ''))
    return undefined
  return { url: parseProxy(env[place] ?? '', `${place}: `), place }
}

/**
 * @param start of the error's message
 * @throws TypeError if the value is not the URL of an HTTP proxy
 */
export function parseProxy(given: string, start = ''): string {
  const value = withoutQuotes(given)
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    if (isEscaped(url)) return url.href
    throw invalidValue(`${start}The user name and the password of a proxy must be percent-encoded: write % as %25`)
  }
  throw invalidValue(`${start}Only http:// and https:// proxies can be used, not ${JSON.stringify(withoutUser(value))}`)
}

function isEscaped({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined
  } catch {
    return false
  }
}

function withoutUser(value: string): string {
  const [from, end] = [value.indexOf('//'), value.lastIndexOf('@')]
  return from !== -1 && end > from ? `${value.slice(0, from)}//${value.slice(end + 1)}` : value
}

function isExempt(url: URL, noProxy: string): boolean {
  const host = withoutLastDot(hostOf(url).toLowerCase())
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => matches(entry, host, port))
}

function matches(entry: string, host: string, port: string): boolean {
  // The last colon of a bare IPv6 address begins no port.
  const [, place = entry, entryPort = port] = /^(\[.*|[^:]*):(\d+)$/.exec(entry) ?? []
  if (entryPort !== port) return false
  if (place === '*') return true
  if (isIP(host) !== 0) return matchesAddress(place.replace(/^\[(.*)\]/, '$1'), host)
  const name = withoutLastDot(place.replace(/^\*?\./, ''))
  return host === name || host.endsWith(`.${name}`)
}

/** A dot at the end only marks a name as complete. */
function withoutLastDot(name: string): string {
  return name.replace(/\.$/, '')
}

function matchesAddress(entry: string, address: string): boolean {
  const [network = '', prefix] = entry.split('/')
  const family = isIP(network)
  if (family === 0 || family !== isIP(address)) return false
  const most = family === 6 ? 128 : 32
  const bits = prefix === undefined ? most : /^\d+$/.test(prefix) ? Number(prefix) : most + 1
  if (bits > most) return false
  const list = new BlockList()
  list.addSubnet(network, bits, family === 6 ? 'ipv6' : 'ipv4')
  return list.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** How a request names its target: a proxy without a tunnel needs the whole URL, and its credentials with each request. */
export function targetOf({ url, proxy }: Route) {
  const path = `${url.pathname}${url.search}`
  if (proxy === undefined || url.protocol !== 'http:') return { path, headers: {} }
  return { path: `${url.origin}${path}`, headers: proxyAuthorization(new URL(proxy.url)) }
}

/** The credentials of a proxy's URL, as a header. */
export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

/** A proxy, which its message names, did not let an exchange through. */
export class ThroughProxyError extends TransportError {
  readonly #place: string | undefined

  constructor(cause: TransportError, { url, place }: NamedProxy) {
    const named = `${new URL(url).host}${place === undefined ? '' : ` (${place})`}`
    const { failure, permanent, message } = cause
    super(failure, `through the proxy ${named}: ${message}`, { cause, permanent })
    this.#place = place
  }

  /** What names the proxy: a variable, a flag. */
  get place(): string | undefined {
    return this.#place
  }
}

/** The status of a proxy that wants credentials (RFC 9110 15.5.8). */
const NEEDS_USER = 407

/** The error of an answer by which a proxy without a tunnel refuses the request; undefined for every other answer. */
export function proxyRefusal(status: number, { url, proxy }: Route): TransportError | undefined {
  if (status !== NEEDS_USER || proxy === undefined || url.protocol !== 'http:') return undefined
  return new ThroughProxyError(new TransportError('unreachable', USER_MISSING, { permanent: true }), proxy)
}

/** Why a proxy's answer to CONNECT does not open a tunnel; undefined if it does. @param rest what it sent besides */
export function tunnelRefusal(status: number, rest: Uint8Array): TransportError | undefined {
  const isOpen = status >= 200 && status <= 299
  if (isOpen && rest.length === 0) return undefined
  if (isOpen)
    return new TransportError('unreachable', 'the proxy sent an answer of its own instead of opening a tunnel')
  const words = status === NEEDS_USER ? USER_MISSING : `the proxy answered ${status} instead of opening a tunnel`
  // A 5xx may pass: the proxy, or a server behind it, is in trouble.
  return new TransportError('unreachable', words, { permanent: status < 500 })
}
