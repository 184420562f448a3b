/** One call of the service (spec 4) and its cost in units (spec 8). */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The path below the base URL; `{slug}` stands for an upload's slug. */
  readonly path: string
  readonly cost: number
}

export type EndpointName = 'upload' | 'list' | 'show' | 'delete' | 'stats'

/** The whole interface: five calls. */
export const endpoints: Readonly<Record<EndpointName, Endpoint>> = {
  upload: { method: 'POST', path: '/api/upload', cost: 10 },
  list: { method: 'GET', path: '/api/uploads', cost: 1 },
  show: { method: 'GET', path: '/api/uploads/{slug}', cost: 1 },
  delete: { method: 'DELETE', path: '/api/uploads/{slug}', cost: 3 },
  stats: { method: 'GET', path: '/api/stats', cost: 1 },
}

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
  if (/^\.{0,2}$/.test(slug) || /\p{Surrogate}/u.test(slug)) throw new TypeError(`Not a slug: ${JSON.stringify(slug)}`)
  return endpoints.show.path.replace('{slug}', () => encodeURIComponent(slug))
}

/** The cost of a call in units; all calls but uploads and deletions cost 1 (spec 8). */
export function costOf(method: string, path: string): number {
  const { upload, delete: deletion } = endpoints
  if (method === upload.method && path === upload.path) return upload.cost
  if (method === deletion.method) return deletion.cost
  return endpoints.stats.cost
}
