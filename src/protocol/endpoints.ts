import { invalidValue } from '../checks/coded-error.ts'

/** One call of the service (spec 4) and its cost in units (spec 8). */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The path below the base URL; in place of a last segment `{slug}` a request has a slug. */
  readonly path: string
  readonly cost: number
}

/** The whole interface: five calls. Costs, routes, allowed methods and the OpenAPI document derive from this table. */
export const endpoints = {
  upload: { method: 'POST', path: '/api/upload', cost: 10 },
  list: { method: 'GET', path: '/api/uploads', cost: 1 },
  show: { method: 'GET', path: '/api/uploads/{slug}', cost: 1 },
  delete: { method: 'DELETE', path: '/api/uploads/{slug}', cost: 3 },
  stats: { method: 'GET', path: '/api/stats', cost: 1 },
} as const satisfies Readonly<Record<string, Endpoint>>

export type EndpointName = keyof typeof endpoints

/** The page of the website on which a person makes a key (spec 1). */
export const keyPage = '/cont/cheie-api'

/** The multipart field that holds the file (spec 4.1). */
export const uploadField = 'file'

/** The places of a key: the service reads the query only if the header is absent (spec 5.2, 5.3). */
export const keyHeader = 'X-Api-Key'
export const keyQueryParameter = 'api_key'

/** Visible ASCII without blanks: headers and queries carry such a key unchanged. */
export const keyPattern = /^[\x21-\x7e]+$/

/** Whether a text can be a key. */
export function isKey(text: string): boolean {
  return keyPattern.test(text)
}

/**
 * The path of one upload, its slug percent-encoded.
 * @throws TypeError for a slug that would lead to another path, or cannot be encoded
 */
export function uploadPath(slug: string): string {
  if (/^\.{0,2}$/.test(slug) || /\p{Surrogate}/u.test(slug)) throw invalidValue(`Not a slug: ${JSON.stringify(slug)}`)
  return endpoints.show.path.replace('{slug}', () => encodeURIComponent(slug))
}

const calls: readonly Endpoint[] = Object.values(endpoints)

/** The cost of a request in units (spec 8): that of the call; an unknown path costs what a slug would, or 1. */
export function costOf(method: string, path: string): number {
  let cost = 1
  for (const call of calls) {
    if (call.method !== method) continue
    if (call.path === path) return call.cost
    if (call.path.endsWith('{slug}')) cost = call.cost
  }
  return cost
}
