import { type ParsedErrorBody, parseErrorBody } from '../protocol/error-bodies.ts'
import { TransportError, type TransportResponse } from './transports/transport.ts'

/** An answer read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The parsed body; undefined where it is not JSON. */
  readonly json: unknown
  /** What the body says of an error, whatever the status. */
  readonly error: ParsedErrorBody
}

/** No answer of the service comes near this; what does is not the service. */
const LONGEST_BODY_BYTES = 32 * 1_048_576

/** Reads an answer to its end; one without success that is cut short still says what it is by its status and headers. */
export async function readAnswer({ status, headers, body }: TransportResponse): Promise<Answer> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      length += chunk.length
      if (length > LONGEST_BODY_BYTES) break
      chunks.push(chunk)
    }
  } catch (error) {
    if (status < 400 || !(error instanceof TransportError)) throw error
  }
  const text = await decode(Buffer.concat(chunks), headers['content-encoding'])
  const json = parseJson(text)
  return { status, headers, text, json, error: parseErrorBody(json) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Compression is not asked for, but a proxy may apply it all the same. */
async function decode(body: Buffer, encoding: string | undefined): Promise<string> {
  if (encoding === undefined || body.length === 0) return body.toString('utf8')
  const { brotliDecompressSync, unzipSync } = await import('node:zlib')
  const limits = { maxOutputLength: LONGEST_BODY_BYTES }
  try {
    return (encoding === 'br' ? brotliDecompressSync(body, limits) : unzipSync(body, limits)).toString('utf8')
  } catch {
    return body.toString('utf8')
  }
}

export function isJsonAnswer({ headers }: Answer): boolean {
  return /[/+]json/i.test(headers['content-type'] ?? '')
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300
}
