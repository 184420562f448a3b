import { createSystemClock } from '../clock/clock.ts'
import type { FaultAction } from '../faults/fault.ts'
import type { QuotaVerdict } from './quota/quota.ts'

/** Kept of each body. */
export const mostBodyBytes = 65_536
/** Kept of the newest requests, and of all their bodies together. */
const [mostExchanges, mostBytes] = [500, 16 * 1_048_576]

/** The beginning of a body. */
export interface KeptBody {
  /** It begins with the `kept` first bytes, and may have room for more. */
  bytes: Buffer
  kept: number
  /** Of the whole body, as far as it was read. */
  size: number
}

/** What was sent both ways, secrets included: {@link file://./../control/request-detail.ts} hides them. */
export interface Exchange {
  /** Of the request in the log. */
  readonly number: number
  readonly key: string | undefined
  /** Scheme, host and port; path and query as sent. */
  readonly origin: string
  readonly url: string
  readonly httpVersion: string | undefined
  readonly received: KeptBody | undefined
  /** What answered; undefined if nothing did. */
  readonly reply: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined
  readonly sent: KeptBody | undefined
  readonly verdict: QuotaVerdict | undefined
  readonly fault: FaultAction | undefined
  /** Of this machine's time, from the arrival until the answer was made. */
  readonly durationMs: number
}

const noBytes = Buffer.alloc(0)

export function emptyBody(): KeptBody {
  return { bytes: noBytes, kept: 0, size: 0 }
}

/** Keeps a copy: a small piece would keep the large one that it was received in, and thousands of them an object each. */
export function keepPiece(body: KeptBody, chunk: Uint8Array): void {
  const { bytes: held, kept } = body
  const piece = chunk.subarray(0, mostBodyBytes - kept)
  body.size += chunk.length
  body.kept += piece.length
  if (body.kept > held.length) {
    body.bytes = Buffer.allocUnsafeSlow(Math.min(Math.max(body.kept, 2 * held.length), mostBodyBytes))
    held.copy(body.bytes, 0, 0, kept)
  }
  body.bytes.set(piece, kept)
}

/** Keeps the beginning of an answer that is sent whole. */
export function keptWhole(answer: string): KeptBody {
  const body = emptyBody()
  // A letter has a byte or more. One unit more than needed, because a cut pair of units is written as another letter.
  keepPiece(body, Buffer.from(answer.slice(0, mostBodyBytes + 1)))
  body.size = Buffer.byteLength(answer)
  return body
}

/** The newest requests to the API with what was sent both ways. In memory only. */
export class ExchangeLog {
  readonly #clock = createSystemClock()
  #kept: Exchange[] = []
  #bytes = 0

  /** Milliseconds of this machine's time. */
  readonly now = () => this.#clock.monotonic?.() ?? this.#clock.now()

  /** Call once the record of a request is whole. */
  add(exchange: Exchange): void {
    this.#kept.push(exchange)
    this.#bytes += bytesOf(exchange)
    while (this.#kept.length > mostExchanges || this.#bytes > mostBytes) this.#bytes -= bytesOf(this.#kept.shift())
  }

  /** Call when the log was replaced. */
  forget(): void {
    this.#kept = []
    this.#bytes = 0
  }

  /** What was sent with a request of the log; undefined if it is no longer kept. */
  of(number: number): Exchange | undefined {
    return this.#kept.find((exchange) => exchange.number === number)
  }
}

/** Of memory; the same later, because nothing of a received body comes after its answer. */
function bytesOf(exchange: Exchange | undefined): number {
  return (exchange?.received?.bytes.length ?? 0) + (exchange?.sent?.bytes.length ?? 0)
}

/** By lower-case name. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Stands in the log for a value that it must not have. */
export const hiddenValue = '(hidden)'

/** Names of headers that carry secrets, and those under which people send a key by mistake. */
const secretNames = /key|auth|cookie|token|secret|passw/i
/** A key in an address that a header repeats, such as Referer. */
const secretValues = /\bapi[-_]?key=/i

/** Whether the log has only the name of a header. */
export function isSecretHeader(name: string): boolean {
  return secretNames.test(name)
}

/** So that one client cannot push other requests out of the log; the ellipsis marks a cut value. */
const [maxValueLength, maxLength] = [1_024, 16_384]

/** A shorter key may be part of any text. */
export const minKeyLength = 8

/** Whether a text has the key in it, as it is. */
export function holdsKey(text: string, key: string | undefined): boolean {
  return key !== undefined && key.length >= minKeyLength && text.includes(key)
}

/**
 * The headers of a request for the log: a line `name: value` for each, names in lower case. It has neither secrets, nor
 * the boundary of a form, which clients invent for each request.
 */
export function loggedHeaders(headers: Headers, key: string | undefined): string {
  let lines = ''
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    const line = `${name}: ${loggedValue(name, typeof value === 'string' ? value : value.join(', '), key)}\n`
    if (lines.length + line.length > maxLength) break
    lines += line
  }
  return lines
}

function loggedValue(name: string, value: string, key: string | undefined): string {
  if (isSecretHeader(name) || secretValues.test(value)) return hiddenValue
  // The key in a query may also be in an address that a header repeats.
  if (holdsKey(value, key)) return hiddenValue
  if (name === 'content-type') return value.slice(0, maxValueLength).replace(/(boundary=).*/i, '$1…')
  return value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value
}

/** Reads what {@link loggedHeaders} wrote. */
export function readLoggedHeaders(lines: string): ReadonlyMap<string, string> {
  const pairs = lines.split('\n').map((line): [string, string] => {
    const at = line.indexOf(': ')
    return [line.slice(0, at), line.slice(at + 2)]
  })
  return new Map(pairs)
}
