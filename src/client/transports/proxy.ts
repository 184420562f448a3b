import { BlockList, isIP } from 'node:net'
import { invalidValue } from '../../checks/coded-error.ts'
import { aSecret, type OptionChecks } from '../../checks/options.ts'
import { aWordOf, either, kindBy } from '../../checks/values.ts'
import { type Environment, readVariable, withoutQuotes } from '../../system/environment.ts'
import { hostOf, isLoopback } from '../base-url.ts'
import { TransportError, USER_MISSING } from './transport.ts'

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

/** Why a proxy's answer to CONNECT does not open a tunnel; undefined if it does. @param rest what it sent besides */
export function tunnelRefusal(status: number, rest: Uint8Array): TransportError | undefined {
  const isOpen = status >= 200 && status <= 299
  if (isOpen && rest.length === 0) return undefined
  const instead = isOpen ? 'the proxy sent an answer of its own' : `the proxy answered ${status}`
  const words = status === 407 ? USER_MISSING : `${instead} instead of opening a tunnel`
  // A 5xx may pass: the proxy, or a server behind it, is in trouble. So may an answer that is not one to CONNECT.
  return new TransportError('unreachable', words, { permanent: !isOpen && status < 500 })
}
