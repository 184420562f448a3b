import { STATUS_CODES } from 'node:http'

/** The names of the framework's current release (RFC 9110); Node's are older. */
const newerNames: Readonly<Record<number, string>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' }

/** The words beside a status; empty if it has none. */
export function reasonPhrase(status: number): string {
  return newerNames[status] ?? STATUS_CODES[status] ?? ''
}

/** Whether a reply of this status has no body: a `Response` cannot be created with one. */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}
