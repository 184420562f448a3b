import { keyHeader, keyQueryParameter } from '../../src/protocol/endpoints.ts'
import type { FaultAction } from '../faults/fault.ts'
import { type HttpReply, type HttpRequest, headerOf, noBody } from '../http-types.ts'
import { type ExchangeLog, emptyBody, type KeptBody } from '../service/exchanges.ts'
import type { MeasuredFile } from '../service/file-intake.ts'
import { loggedHeaders } from '../service/logged-headers.ts'
import type { QuotaVerdict } from '../service/quota/quota.ts'
import type { Settings } from '../settings/settings.ts'
import {
  type AccountRecord,
  clientClosedRequest,
  type NewRequest,
  type RefusalNote,
  type RequestFile,
} from '../storage/record-types.ts'
import type { Route } from './api-routes.ts'
import { clientAddress, queryValue, type RequestTarget } from './request/addresses.ts'
import { bodyLimits, declaredLength, receiveBody } from './request/request-body.ts'

/** The log record of a request; each stage of the pipeline adds what it learns. */
export type LogEntry = { -readonly [Field in keyof NewRequest]: NewRequest[Field] }

/** An API request on its way through the pipeline. The pipeline fills in the last fields. */
export interface RequestContext extends Arrival {
  readonly body: AsyncIterable<Uint8Array>
  /** Whether the declared length exceeds that of any upload. */
  readonly isTooLarge: boolean
  /** The key the request carries; undefined if there is none that could be a key. */
  readonly key: string | undefined
  readonly entry: LogEntry
  /** The beginning of its body; undefined for a method that has none. */
  readonly received: KeptBody | undefined
  /** The beginning of the answer's body. */
  sent: KeptBody | undefined
  /** The account of the key; null if no account has it, undefined before the lookup. */
  account: AccountRecord | null | undefined
  /** The quota's decision; undefined before the quota check. */
  verdict: QuotaVerdict | undefined
  /** Whether the request passed every check, so that an endpoint serves it. */
  isServed: boolean
  /** The fault that hit the request; undefined if none did. */
  fault: FaultAction | undefined
}

/** A request that an endpoint may serve. */
export interface AdmittedRequest extends RequestContext {
  readonly account: AccountRecord
  readonly route: Route
}

export function isAdmitted(context: RequestContext): context is AdmittedRequest {
  return context.account != null && context.route !== undefined
}

interface Arrival {
  readonly request: HttpRequest
  readonly target: RequestTarget
  /** Undefined if the path is not the service's. */
  readonly route: Route | undefined
}

/** Longer texts are cut, so that one client cannot push other requests out of the log. */
const [maxMethodLength, maxPathLength, maxAddressLength, maxNameLength] = [32, 2_048, 64, 1_024]

/** @param at time of arrival, in epoch milliseconds; @param keep keeps what arrives of the body */
export function newRequestContext(
  { request, target, route }: Arrival,
  settings: Settings,
  at: number,
  keep: ExchangeLog['keep'],
): RequestContext {
  const { key, keyIn } = presentedKey(request, target, settings)
  const entry: LogEntry = {
    method: loggedMethod(request.method),
    endpoint: cut(target.path, maxPathLength),
    status: clientClosedRequest,
    clientIp: cut(clientAddress(request, settings), maxAddressLength),
    at,
    cost: 0,
    accountId: null,
    keyIn,
    headers: loggedHeaders(request.headers, key),
  }
  const limits = bodyLimits(settings)
  const declared = declaredLength(request)
  const received = request.method === 'GET' || request.method === 'HEAD' ? undefined : emptyBody()
  const tap = received && ((chunk: Uint8Array) => keep(received, chunk))
  const body = request.body === noBody ? noBody : receiveBody(request, limits.received, tap)
  const isTooLarge = declared > limits.declared
  const { sent, account, verdict, isServed, fault } = unknownYet
  return { request, target, route, body, isTooLarge, key, entry, received, sent, account, verdict, isServed, fault }
}

/** From the start, since an object that grows is copied, and named one by one: a spread takes longer than all fields. */
const unknownYet = { sent: undefined, account: undefined, verdict: undefined, isServed: false, fault: undefined }

/** The reply to be sent; what is read of a stream is kept as the context's `sent`. */
export function withKeptBody(reply: HttpReply, context: RequestContext, keeper: ExchangeLog): HttpReply {
  const { body } = reply
  if (body === null) return reply
  if (typeof body === 'object' && Symbol.asyncIterator in body) {
    const kept = emptyBody()
    context.sent = kept
    return { ...reply, body: keptStream(body, kept, keeper) }
  }
  context.sent = keeper.keepWhole(body)
  return reply
}

async function* keptStream(body: AsyncIterable<Uint8Array>, kept: KeptBody, { keep }: ExchangeLog) {
  for await (const chunk of body) {
    keep(kept, chunk)
    yield chunk
  }
}

/** @param reply undefined if nothing answers */
export function exchangeOf(context: RequestContext, reply: HttpReply | undefined) {
  const { request, key, received, sent, verdict, fault } = context
  const { origin, url, httpVersion } = request
  // Without the body, which is kept elsewhere.
  const answered = reply && { status: reply.status, headers: reply.headers }
  return { key, origin, url, httpVersion, received, reply: answered, sent, verdict, fault }
}

export function loggedMethod(method: string): string {
  return cut(method, maxMethodLength)
}

export function loggedFile({ name, sizeBytes, sha256 }: MeasuredFile): RequestFile {
  return { name: cut(name, maxNameLength), size: sizeBytes, sha256 }
}

/** What the log keeps of a refusal with words of its own. @param words null: the service's usual ones */
export function loggedRefusal(kind: string, words: string | null | undefined): RefusalNote {
  return words == null ? { kind } : { kind, words: cut(words, maxNameLength) }
}

/** The ellipsis marks a cut text. In JSON a letter may take six bytes. */
function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** The header comes first; even an empty one hides the query unless a setting says otherwise (spec 5.2, 5.3). */
function presentedKey(
  request: HttpRequest,
  target: RequestTarget,
  settings: Settings,
): Pick<RequestContext, 'key'> & Pick<LogEntry, 'keyIn'> {
  const header = headerOf(request, keyHeader.toLowerCase())
  const isAbsent = header === undefined || (header === '' && settings.empty_header_key === 'falls_back')
  if (!isAbsent) return { key: header, keyIn: 'header' }
  const parameter = queryValue(target.query, keyQueryParameter)
  return parameter === undefined ? { key: undefined, keyIn: 'none' } : { key: parameter ?? undefined, keyIn: 'query' }
}
