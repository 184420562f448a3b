import type { ValueOf } from '../../src/checks/values.ts'
import { windowNames } from '../../src/protocol/rate-limits.ts'
import { type JsonFieldsOf, objectOf, optional, orNull } from '../values/codec.ts'
import { count, digest, instant, oneOf, recordId, text, trueOrFalse } from '../values/value-type.ts'

// The fields of the request log, as `records.ts` has those of everything else.

/** The file in an upload's form, as far as it arrived: less of it if the client disconnected. */
const requestFile = objectOf({
  /** As the client named it. */
  name: text,
  size: count,
  sha256: digest,
})

/** The status in the log if the client disconnected before the answer; web servers use the same number. */
export const clientClosedRequest = 499

const requestFields = {
  method: text,
  /** The path without its query. */
  endpoint: text,
  /** {@link clientClosedRequest} without an answer. */
  status: count,
  clientIp: text,
  /** Time of arrival. */
  at: instant,
  /** Charged units. */
  cost: count,
  /** Null if the key has no account. */
  accountId: orNull(recordId),
  keyIn: oneOf('header', 'query', 'none'),
  /** The type of the fault that hit the request; absent if none did. */
  fault: optional(text),
  /** Absent if the request had no file, or was answered before its form was read. */
  file: optional(requestFile),
}

/** A logged request as the control API shows it; instants are ISO 8601. */
export interface RequestInfo extends JsonFieldsOf<typeof requestFields> {}
/** The file of a logged upload. */
export interface RequestFile extends ValueOf<typeof requestFile> {}
export const requestInfo = objectOf(requestFields)

/** A request that the client sent earlier than an answer had asked it to. */
const violation = objectOf({
  kind: oneOf('before_retry_after', 'without_remaining'),
  /** When the request would have been allowed. */
  until: instant,
  /** The key's account, even if the request was refused before its lookup. */
  accountId: orNull(recordId),
})

/** Why the service refused a request, where its status does not say. */
const refusalNote = objectOf({
  /** The kind, as the service names it. */
  kind: text,
  /** What the answer says, of a refusal with words of its own. */
  words: optional(text),
  /** The window that was full, its limit, and the units used and needed; of a refusal by the quota. */
  window: optional(oneOf(...windowNames)),
  limit: optional(count),
  used: optional(count),
  needed: optional(count),
  /** When the request would have fitted; null if never. */
  fitsAt: optional(orNull(instant)),
})

const requestExtras = {
  /** Whether it stored its file; absent if not. */
  stored: optional(trueOrFalse),
  /** A line `name: value` for each header, without secrets. */
  headers: text,
  /** How the request ignored earlier advice; absent if it did not. */
  breach: optional(violation),
  /** Absent if the service did not refuse it. */
  refusal: optional(refusalNote),
  /** Which fault hit it. */
  faultId: optional(count),
}

/** All that is stored of a request. */
export const requestRecordFields = { ...requestFields, ...requestExtras }

export const requestRecord = objectOf(requestRecordFields)

/** Requests of an account that the log has dropped; statistics still count them. */
export const droppedRequests = objectOf({ accountId: orNull(recordId), count })

/** A request of the log with its number, and with what else the control API tells of it. */
export const loggedFields = {
  /** Counts up from 1 in each run of the emulator, and again after a reset; a request keeps its number. */
  number: recordId,
  ...requestFields,
  stored: requestExtras.stored,
  breach: requestExtras.breach,
  refusal: requestExtras.refusal,
  faultId: requestExtras.faultId,
}
export const loggedRequest = objectOf(loggedFields)
export interface LoggedRequest extends ReturnType<typeof loggedRequest.write> {}

/** An answered request to the service (spec 1). */
export interface RequestRecord extends ValueOf<typeof requestRecord> {}
export interface RefusalNote extends ValueOf<typeof refusalNote> {}
export interface Violation extends ValueOf<typeof violation> {}
export interface DroppedRequests extends ValueOf<typeof droppedRequests> {}
