import type { TransportRequest } from './transport.ts'

/** The headers of a request, with those of its body. */
export function sentHeaders({ headers, body }: TransportRequest): Record<string, string> {
  return {
    ...headers,
    ...(body && { 'content-type': body.contentType }),
    ...(body?.length !== undefined && { 'content-length': String(body.length) }),
  }
}

/** The headers of an answer from Node or undici, repeated ones joined by commas. */
export function receivedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}

/** Whether the end of an answer's body is the end of the connection (RFC 9112 6.3). */
export function isEndedByClose(headers: Readonly<Record<string, unknown>>): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}
