import type { FieldsOf, ValueOf } from '../../src/checks/values.ts'
import { mediaTypes } from '../../src/protocol/media-types.ts'
import { type WindowKind, type WindowName, windowNames } from '../../src/protocol/rate-limits.ts'
import { quotaLimits } from '../settings/quota-limits.ts'
import { type JsonFieldsOf, listOf, objectOf, optional, orNull, unionOf } from '../values/codec.ts'
import {
  addressRange,
  count,
  digest,
  instant,
  matching,
  mimeType,
  nonEmptyText,
  oneOf,
  recordId,
  slug,
  text,
  trueOrFalse,
  wholeNumber,
} from '../values/value-type.ts'

// The fields of all records. Types, snapshots, seeds and the control API come from
// these tables. Instants are epoch milliseconds.

/** Leaves as many exact integers above it for new ids. */
const lastId = wholeNumber({ to: 2 ** 52 })
/** Higher numbers of albums are refused as no account's. */
const mostAlbums = 10_000
const imageTypes = mediaTypes.map((type) => type.mimeType).filter((type) => type.startsWith('image/'))

/** What an administrator or the account's owner changes, and the control API and a seed set. */
export const accountSettings = {
  suspended: trueOrFalse,
  /** Replaces the usual message while suspended (spec 5.6); null restores it. */
  suspensionReason: orNull(text),
  /** Addresses and CIDR ranges (spec 5.5). An invalid entry matches no address; an empty list admits every address. */
  ipAllowlist: listOf(addressRange, 'a list of addresses and CIDR ranges'),
  /** The account's own limits; other windows have the service's, and all of them if it is null. */
  quotas: orNull(quotaLimits),
  /** How many albums its statistics count (spec 2.3). */
  albums: wholeNumber({ to: mostAlbums }),
  feedViews: count,
}

/** A password as it is stored (`emulator/service/sign-in/signing-in.ts`). */
const storedPassword = matching('a scrypt hash', /^scrypt\$8\$8\$1\$[\w-]{22}\$[\w-]{43}$/)

const accountRecord = objectOf({
  id: recordId,
  email: nonEmptyText,
  passwordHash: storedPassword,
  /** The key itself is not stored (spec 1), only the end of it, empty for a short one and absent if it is unknown. */
  keyHash: digest,
  keyEnd: optional(text),
  keyMadeAt: instant,
  /** How many requests of the account were logged before the key was made; absent means none. */
  requestsBeforeKey: optional(count),
  /** Whether the owner made the key, on the key page; absent means no. */
  isKeyOwners: optional(trueOrFalse),
  ...accountSettings,
})

/** What the control API shows of an account. */
export const accountInfo = objectOf({ id: recordId, email: nonEmptyText, ...accountSettings })

const noThumbnail = objectOf({ state: oneOf('none') })
const pendingThumbnail = objectOf({ state: oneOf('pending'), dueAt: instant })
const readyThumbnail = objectOf({
  state: oneOf('ready'),
  blobId: text,
  mimeType: oneOf<string>(...imageTypes),
  sizeBytes: count,
})

/** The state of an upload's thumbnail; `none`: none exists, and none will be made unless requested. */
export type Thumbnail = ValueOf<typeof noThumbnail | typeof pendingThumbnail | typeof readyThumbnail>

const thumbnail = unionOf<Thumbnail, unknown, 'state'>('state', {
  pending: pendingThumbnail,
  ready: readyThumbnail,
  none: noThumbnail,
})

/** What users and visitors of the website change, and the control API and a seed set. */
export const uploadDetails = {
  title: orNull(text),
  /** Views of its page, file and embed page together (spec 2.1). */
  views: count,
  likes: count,
}

export const newDetails: FieldsOf<typeof uploadDetails> = { title: null, views: 0, likes: 0 }

export const uploadRecord = objectOf({
  /** Counts over all accounts; of two uploads with the same instant, the higher id is newer. */
  id: recordId,
  slug,
  accountId: recordId,
  /** Null for a synthetic upload, which has no stored bytes. */
  blobId: orNull(text),
  createdAt: instant,
  thumbnail,
  ...uploadDetails,
  mimeType,
  sizeBytes: count,
  /** Of the file as it was received; absent for synthetic uploads. */
  sha256: optional(digest),
  /** Under which the file was sent; absent for synthetic uploads. */
  name: optional(text),
  /** How many of the views were of its page or embed page; absent means none. */
  indirectViews: optional(count),
})

/** The totals of an account's uploads. */
export interface UploadTotals {
  readonly uploads: number
  /** Views of the files themselves (spec 2.3). */
  readonly views: number
  readonly bytes: number
}

/** What a window was charged: plain data of bounded size. Only the rules of its kind know what else is in it. */
export interface WindowUse {
  readonly kind: WindowKind
}

/** A browser that is signed in to the website. */
const sessionRecord = objectOf({
  /** Of the session's id, which is not stored: a record signs no browser in. */
  idHash: digest,
  accountId: recordId,
  openedAt: instant,
})

/** A key's charged windows; a missing window was never charged. */
export type QuotaState = Readonly<Partial<Record<WindowName, WindowUse>>>

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

/** Counts up from 1, and again after a reset; a request keeps its number. As many exact integers are left above it. */
const requestNumber = wholeNumber({ from: 1, to: 2 ** 52 })

/** A request of the log with its number, and with what else the control API tells of it. */
export const loggedFields = {
  number: requestNumber,
  ...requestFields,
  /** Whether it stored its file; absent if not. */
  stored: optional(trueOrFalse),
  /** How the request ignored earlier advice; absent if it did not. */
  breach: optional(violation),
  /** Absent if the service did not refuse it. */
  refusal: optional(refusalNote),
  /** Which fault hit it. */
  faultId: optional(count),
}

/** All that is stored of a request. */
export const requestRecord = objectOf({
  ...loggedFields,
  /** A line `name: value` for each header, without secrets. */
  headers: text,
})

/** How many requests of an account were logged: statistics count those that the log has dropped too. */
export const usageFields = { accountId: orNull(recordId), logged: count }

export const loggedRequest = objectOf(loggedFields)
export interface LoggedRequest extends ReturnType<typeof loggedRequest.write> {}

/** An answered request to the service (spec 1). */
export interface RequestRecord extends ValueOf<typeof requestRecord> {}
export type NewRequest = Omit<RequestRecord, 'number'>
export interface RefusalNote extends ValueOf<typeof refusalNote> {}
export interface Violation extends ValueOf<typeof violation> {}

/** All records as plain data, but for what accounts used. */
export const dumpFields = {
  /** In order of id, like `uploads`. */
  accounts: listOf(accountRecord),
  uploads: listOf(uploadRecord),
  /** Oldest first. */
  requests: listOf(requestRecord),
  /** In order of `idHash`. */
  sessions: listOf(sessionRecord),
  /** The highest ids assigned so far. */
  lastIds: objectOf({ account: lastId, upload: lastId, request: lastId }),
}

export interface RecordDump extends FieldsOf<typeof dumpFields> {
  /** By account, requests without one first. */
  readonly usage: readonly (FieldsOf<typeof usageFields> & { readonly charge: QuotaState })[]
}

export interface AccountRecord extends ValueOf<typeof accountRecord> {}
export type AccountChanges = Partial<Omit<AccountRecord, 'id'>>
export interface UploadRecord extends ValueOf<typeof uploadRecord> {}
export type UploadChanges = Partial<Pick<UploadRecord, keyof typeof uploadDetails | 'indirectViews' | 'thumbnail'>>
export interface SessionRecord extends ValueOf<typeof sessionRecord> {}
