import { isIP } from 'node:net'
import { type HttpRequest, headerOf } from '../../http-types.ts'
import type { Settings } from '../../settings/settings.ts'
import { plainAddress } from '../../values/ip-allowlist.ts'

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
