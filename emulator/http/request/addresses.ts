import { isIP } from 'node:net'
import { type HttpRequest, headerOf } from '../../http-types.ts'
import type { Settings } from '../../settings/settings.ts'
import { plainAddress } from '../../values/ip-allowlist.ts'

/**
 * The origin a request addressed, as the service's framework writes it: host in lower case, default port left out.
 *
 * @param host the Host header as sent
 */
export function originOf(scheme: string, host: string): string {
  const sent = host.trim()
  const port = portOf(sent)
  const isOwnPort = port === undefined || port === (scheme === 'https' ? 443 : 80)
  return `${scheme}://${sent.replace(/:\d+$/, '').toLowerCase()}${isOwnPort ? '' : `:${port}`}`
}

/** The digits after the host, if there are any. The host need not be one that a URL can have. */
export function portOfOrigin(origin: string): string | undefined {
  const [, port] = /:(\d+)$/.exec(origin) ?? []
  return port
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
export function hasPlainHost(origin: string): boolean {
  const host = origin.slice(origin.indexOf('://') + 3)
  return host.replace(/(?:^\[)?[\w:\]-]+\.?/g, '') === ''
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
