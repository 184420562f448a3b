import type { FieldsOf, ValueOf } from '../../src/checks/values.ts'
import { mediaTypes } from '../../src/protocol/media-types.ts'
import { type WindowKind, type WindowName, windowKinds, windowNames } from '../../src/protocol/rate-limits.ts'
import { quotaLimits } from '../settings/quota-limits.ts'
import { listOf, objectOf, optional, orNull, someOf, unionOf } from '../values/codec.ts'
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
import { droppedRequests, requestRecord } from './request-records.ts'

export {
  clientClosedRequest,
  type DroppedRequests,
  type LoggedRequest,
  loggedRequest,
  type RefusalNote,
  type RequestFile,
  type RequestInfo,
  type RequestRecord,
  requestInfo,
  type Violation,
} from './request-records.ts'

// The fields of all records. Types, snapshots, the check of the database's rows, seeds and the control API come from
// these tables. Instants are epoch milliseconds.

/** Leaves as many exact integers above it for new ids. */
const lastId = wholeNumber({ to: 2 ** 52 })
/** More are refused, so that one call cannot fill the memory. */
export const mostAlbums = 10_000
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
  /** How many albums there are; a new number makes or removes empty ones. */
  albums: wholeNumber({ to: mostAlbums }),
  feedViews: count,
}

const { albums: _counted, ...storedSettings } = accountSettings

/** A password as it is stored; `emulator/service/sign-in/stored-password.ts` says what each form means. */
const storedPassword = matching(
  'a SHA-256 of 64 hexadecimal digits in lower case, also after "chosen$", or a scrypt hash',
  /^(?:(?:chosen\$)?[0-9a-f]{64}|scrypt\$14\$8\$5\$[\w-]{22}\$[\w-]{43})$/,
)

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
  ...storedSettings,
})

/** What the control API shows of an account. */
export const accountInfo = objectOf({ id: recordId, email: nonEmptyText, ...accountSettings })

/** A collection of an account's own uploads. */
const albumRecord = objectOf({
  id: recordId,
  accountId: recordId,
  name: text,
  /** Slugs, in the order in which they were added. */
  uploads: listOf(slug),
})

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

/** The fields with columns of their own in the database. */
const uploadColumns = {
  /** Counts over all accounts; of two uploads with the same instant, the higher id is newer. */
  id: recordId,
  slug,
  accountId: recordId,
  /** Null for a synthetic upload, which has no stored bytes. */
  blobId: orNull(text),
  createdAt: instant,
}

/** All others, together in one column of JSON: a new one needs no new version of the database. */
const otherFields = {
  thumbnail,
  ...uploadDetails,
  mimeType,
  sizeBytes: count,
  /** Of the file as it was received; absent for synthetic uploads. */
  sha256: optional(digest),
  /** How many of the views were of its page or embed page; absent means none. */
  indirectViews: optional(count),
  /** The accounts that like it, the latest last; absent means none. */
  likedBy: optional(listOf(recordId)),
}

export const uploadRecord = objectOf({ ...uploadColumns, ...otherFields })

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

/** All records as plain data, but for the quotas. */
export const dumpFields = {
  /** In order of id, like `uploads` and `albums`. */
  accounts: listOf(accountRecord),
  uploads: listOf(uploadRecord),
  albums: listOf(albumRecord),
  /** Oldest first. */
  requests: listOf(requestRecord),
  droppedRequests: listOf(droppedRequests),
  /** In order of `idHash`. */
  sessions: listOf(sessionRecord),
  /** The highest ids assigned so far. */
  lastIds: objectOf({ account: lastId, upload: lastId, album: lastId }),
}

export interface RecordDump extends FieldsOf<typeof dumpFields> {
  readonly quotas: readonly { readonly keyHash: string; readonly state: QuotaState }[]
}

/** What the database has as JSON, by table. */
export const storedJson = {
  accounts: accountRecord,
  albums: albumRecord,
  quotas: someOf(windowNames, objectOf({ kind: oneOf(...windowKinds) })),
  sessions: sessionRecord,
}

export interface AccountRecord extends ValueOf<typeof accountRecord> {}
export type AccountChanges = Partial<Omit<AccountRecord, 'id'>>
export interface AlbumRecord extends ValueOf<typeof albumRecord> {}
export interface UploadRecord extends ValueOf<typeof uploadRecord> {}
export type UploadChanges = Partial<
  Pick<UploadRecord, keyof typeof uploadDetails | 'indirectViews' | 'likedBy' | 'thumbnail'>
>
export interface SessionRecord extends ValueOf<typeof sessionRecord> {}

/** Empties a store. */
export const emptyDump: RecordDump = {
  accounts: [],
  uploads: [],
  albums: [],
  requests: [],
  droppedRequests: [],
  sessions: [],
  quotas: [],
  lastIds: { account: 0, upload: 0, album: 0 },
}
