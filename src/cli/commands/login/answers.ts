import { AuthenticationError, FileHostError, TransportError } from '../../../index.ts'
import { isLoopback } from '../../../internal.ts'
import { unwrapPasted } from '../../config/service-address.ts'

/** What may stand before a key where it is copied from: a header, a variable. */
const labels = [/^export\s+/i, /^(x-api-key|authorization|api_key|fh_api_key)\s*[:=]/i, /^bearer\s/i]

/** A key as it was copied: without what stands around it or before it. */
export function readPastedKey(text: string): string {
  return labels.reduce((key, label) => unwrapPasted(key.replace(label, '')), unwrapPasted(text))
}

/**
 * Which answer of the person a failure of the check puts in doubt.
 * @returns undefined where neither: the account may not, or the service is in trouble
 */
export function wrongAnswer(error: unknown): 'address' | 'key' | undefined {
  if (!(error instanceof FileHostError)) return undefined
  // A 401 that does not have the service's words comes from another server (spec 5.4).
  if (error instanceof AuthenticationError) return error.serviceMessage === undefined ? 'address' : 'key'
  if (error.code === 'connection-failed' || error.code === 'timeout') return 'address'
  const isForeign = ['not-found', 'validation-failed', 'unexpected-response'].includes(error.code)
  return isForeign && (error.status ?? 0) < 500 ? 'address' : undefined
}

/** The address to offer after a failure at another: the other scheme, the host alone, or the same, to try it again. */
export function addressToOffer(error: unknown, baseUrl: string): string {
  const url = new URL(baseUrl)
  const { cause } = Object(error)
  if (cause instanceof TransportError) {
    if (cause.failure !== 'wrong-scheme') return baseUrl
    if (url.protocol === 'http:') return baseUrl.replace('http:', 'https:')
    return isLoopback(url.hostname) ? baseUrl.replace('https:', 'http:') : baseUrl
  }
  return url.origin
}
