import { mediaTypes } from '../../src/protocol/media-types.ts'
import { type WindowKind, windowKinds, windowNames } from '../../src/protocol/rate-limits.ts'
import { windowRules } from '../service/quota/windows/window-kinds.ts'
import { quotaLimits } from '../settings/quota-limits.ts'
import type {
  AccountRecord,
  DroppedRequests,
  KeyQuota,
  RecordDump,
  RequestRecord,
  Thumbnail,
  UploadRecord,
  Violation,
  WindowUse,
} from '../storage/record-store.ts'
import { listOf, objectOf, optional, someOf, unionOf } from '../values/codec.ts'
import {
  type Codec,
  count,
  instant,
  matching,
  mimeType,
  nonEmptyText,
  oneOf,
  orNull,
  slug,
  text,
  trueOrFalse,
  wholeNumber,
} from '../values/value-type.ts'

const recordId = wholeNumber({ from: 1 })
/** Leaves as many exact integers above it for new ids. */
const lastId = wholeNumber({ to: 2 ** 52 })
/** Lower case only, because digests are compared as text. */
const digest = matching('a SHA-256 of 64 hexadecimal digits in lower case', /^[0-9a-f]{64}$/)
const imageTypes = mediaTypes.map((type) => type.mimeType).filter((type) => type.startsWith('image/'))

const account = objectOf<AccountRecord>({
  id: recordId,
  email: nonEmptyText,
  passwordHash: digest,
  keyHash: digest,
  suspended: trueOrFalse,
  suspensionReason: orNull(text),
  ipAllowlist: listOf(text),
  quotas: orNull(quotaLimits),
  albums: count,
  feedViews: count,
})

type ThumbnailIn<State> = Extract<Thumbnail, { readonly state: State }>

const thumbnail = unionOf<Thumbnail, 'state'>('state', {
  pending: objectOf<ThumbnailIn<'pending'>>({ state: oneOf('pending'), dueAt: instant }),
  ready: objectOf<ThumbnailIn<'ready'>>({
    state: oneOf('ready'),
    blobId: text,
    mimeType: oneOf<string>(...imageTypes),
    sizeBytes: count,
  }),
  none: objectOf<ThumbnailIn<'none'>>({ state: oneOf('none') }),
})

export const uploadRecord = objectOf<UploadRecord>({
  id: recordId,
  slug,
  accountId: recordId,
  blobId: orNull(text),
  thumbnail,
  title: orNull(text),
  mimeType,
  sizeBytes: count,
  views: count,
  indirectViews: optional(count),
  likes: count,
  createdAt: instant,
})

const codecOf = (kind: WindowKind) => [kind, windowRules[kind].codec] as const

/** The charges of a window of any kind. */
export const windowUse = unionOf<WindowUse, 'kind'>(
  'kind',
  Object.fromEntries(windowKinds.map(codecOf)) as Record<WindowKind, Codec<WindowUse>>,
)

const request = objectOf<RequestRecord>({
  method: text,
  endpoint: text,
  status: count,
  clientIp: text,
  at: instant,
  cost: count,
  accountId: orNull(recordId),
  keyIn: oneOf('header', 'query', 'none'),
  fault: optional(text),
  content: optional(text),
  breach: optional(
    objectOf<Violation>({
      kind: oneOf('before_retry_after', 'without_remaining'),
      until: instant,
      accountId: orNull(recordId),
    }),
  ),
})

/** All records of a snapshot. The types demand a line here for every field of a record. */
export const recordDump = objectOf<RecordDump>({
  accounts: listOf(account),
  uploads: listOf(uploadRecord),
  requests: listOf(request),
  droppedRequests: listOf(objectOf<DroppedRequests>({ accountId: orNull(recordId), count })),
  quotas: listOf(objectOf<KeyQuota>({ keyHash: digest, state: someOf(windowNames, windowUse) })),
  lastIds: objectOf<RecordDump['lastIds']>({ account: lastId, upload: lastId }),
})
