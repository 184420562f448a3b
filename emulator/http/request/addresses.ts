import { isIP } from 'node:net'
import { TextDecoder } from 'node:util'
import { type HttpRequest, headerOf } from '../../http-types.ts'
import type { Settings } from '../../settings/settings.ts'
import { plainAddress } from '../../values/ip-allowlist.ts'
import { remembered } from '../../values/remembered.ts'
import { decodedText, PhpArray, parseVariables, trimmed } from './php-variables.ts'

/** A request's URL, parsed as the service's framework parses it. */
export interface RequestTarget {
  /** As sent, without query and fragment. */
  readonly path: string
  /** The percent-decoded path; undefined if it is not valid UTF-8. */
  readonly decodedPath: string | undefined
  /** The decoded path without trailing slashes, for matching routes; an encoded slash is kept. */
  readonly routePath: string | undefined
  readonly query: PhpArray
}

/** Of path and query, or of an absolute URL as sent to proxies. */
export const parseTarget = remembered((url): RequestTarget => {
  const [sent = ''] = url.split('#', 1)
  const local = sent.startsWith('/') ? sent : sent.replace(/^[a-z]+:\/\/[^/?]*/i, '')
  const mark = local.indexOf('?')
  const path = mark === -1 ? local : local.slice(0, mark)
  const decodedPath = decodePath(path)
  return {
    path,
    decodedPath,
    routePath: path.endsWith('/') ? decodePath(withoutEndSlashes(path)) : decodedPath,
    query: mark === -1 ? noQuery : parseVariables(local.slice(mark + 1)),
  }
})

const noQuery: PhpArray = new PhpArray()

/** The last value of a query parameter, trimmed; null for a list (`name[]=`), undefined if absent. */
export function queryValue(query: PhpArray, name: string): string | null | undefined {
  const value = query.values.get(name)
  if (value === undefined) return undefined
  if (value instanceof PhpArray) return null
  const text = trimmed(value)
  return /[\u0080-\uffff]/.test(text) ? decodedText(text) : text
}

/** Removes trailing slashes; a path of slashes alone becomes `/`. */
export function withoutEndSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Unlike `decodeURIComponent`, keeps a `%` that escapes nothing. */
function decodePath(path: string): string | undefined {
  if (!/[%\u0080-\uffff]/.test(path)) return path
  const bytes = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return undefined
  }
}

/**
 * The origin that requests of a scheme address, by the Host header as sent and as the service's framework writes it: host
 * in lower case, default port left out.
 */
export function originsOf(scheme: 'http' | 'https'): (host: string) => string {
  return remembered((host) => {
    const sent = host.trim()
    const port = portOf(sent)
    const isOwnPort = port === undefined || port === (scheme === 'https' ? 443 : 80)
    return `${scheme}://${sent.replace(/:\d+$/, '').toLowerCase()}${isOwnPort ? '' : `:${port}`}`
  })
}

/** A wildcard address can be listened on, but not connected to. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** The digits after the host, if there are any. The host need not be one that a URL can have. */
export function portOfOrigin(origin: string): string | undefined {
  return /:(\d+)$/.exec(origin)?.[1]
}

/** A port that does not begin with a number counts as 0; 0 itself counts as no port. */
function portOf(host: string): number | undefined {
  const colon = host.startsWith('[') ? host.indexOf(':', host.lastIndexOf(']')) : host.lastIndexOf(':')
  const port = colon === -1 ? '' : host.slice(colon + 1)
  return port === '' || port === '0' ? undefined : Math.trunc(Number.parseFloat(port)) || 0
}

/**
 * Whether the host has only characters of names and addresses. The framework rejects other hosts, since its links would
 * repeat them.
 */
export const hasPlainHost = remembered((origin) => {
  const host = origin.slice(origin.indexOf('://') + 3)
  return host.replace(/(?:^\[)?[\w:\]-]+\.?/g, '') === ''
})

export interface NamedHosts {
  readonly url: string
  /** The values of all Host headers. */
  readonly hosts: readonly string[]
  readonly httpVersion: string
}

/**
 * Why it cannot be told which host a request addresses (RFC 9112 3.2); undefined if it can. HTTP/1.0 needs no Host.
 * @param originOf the origin of a host
 */
export function hostProblem(
  { url, hosts: [host, ...others], httpVersion }: NamedHosts,
  originOf: (host: string) => string,
): string | undefined {
  if (others.length > 0) return 'The request has more than one Host header: send one'
  if (host === undefined)
    return httpVersion === '1.1' ? 'The request has no Host header: HTTP/1.1 needs one' : undefined
  const [, authority] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url) ?? []
  if (authority === undefined || originOf(authority) === originOf(host)) return undefined
  return 'The target of the request names another host than its Host header: name the same'
}

/**
 * The client's address (spec 5.5): the other end of the connection or, if that is trusted as a proxy, the last valid
 * address it names.
 */
export function clientAddress(request: HttpRequest, { trust_forwarded_for }: Settings): string {
  if (!trust_forwarded_for) return request.clientIp
  const named = (headerOf(request, 'x-forwarded-for') ?? '').split(',').map((entry) => withoutPort(entry.trim()))
  return plainAddress(named.findLast((entry) => isIP(entry) !== 0) ?? request.clientIp)
}

function withoutPort(entry: string): string {
  const [, bracketed] = /^\[(.*)\](?::\d+)?$/.exec(entry) ?? []
  return bracketed ?? (/^[\d.]+:\d+$/.test(entry) ? entry.slice(0, entry.indexOf(':')) : entry)
}
