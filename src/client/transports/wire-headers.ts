import type { TransportRequest } from './transport.ts'

/** A request's headers with those that describe its body. */
export function sentHeaders({ headers, body }: TransportRequest): Record<string, string> {
  return {
    ...headers,
    ...(body && { 'content-type': body.contentType }),
    ...(body?.length !== undefined && { 'content-length': String(body.length) }),
  }
}

/** An answer's headers as Node and undici hand them over, a repeated one joined by commas. */
export function receivedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}

/** Whether an answer says nothing of where its body ends: the connection is closed there (RFC 9112 6.3). */
export function isEndedByClose(headers: Readonly<Record<string, unknown>>): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}
