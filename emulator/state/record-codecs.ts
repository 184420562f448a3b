import { mediaTypes } from '../../src/protocol/media-types.ts'
import { windowNames } from '../../src/protocol/rate-limits.ts'
import { readQuotaLimits } from '../settings/quota-limits.ts'
import type {
  AccountRecord,
  DroppedRequests,
  KeyQuota,
  RecordDump,
  RequestRecord,
  Thumbnail,
  UploadRecord,
  Violation,
} from '../storage/record-store.ts'
import {
  type Codec,
  checkedBy,
  instant,
  listOf,
  objectOf,
  oneOf,
  optional,
  orNull,
  someOf,
  text,
  trueOrFalse,
  unionOf,
  wholeNumber,
} from '../values/codec.ts'
import { windowUse } from './window-use-codec.ts'

/** Leaves as many exact integers above it for new ids. */
const highestLastId = 2 ** 52

const recordId = checkedBy<number>('a whole number from one up', (found) => {
  return Number.isSafeInteger(found) && Number(found) >= 1
})
const lastId = checkedBy<number>(`a whole number from zero to ${highestLastId}`, (found) => {
  return Number.isSafeInteger(found) && Number(found) >= 0 && Number(found) <= highestLastId
})
const email = checkedBy<string>('text that is not empty', (found) => typeof found === 'string' && found !== '')
/** Lower case only, because digests are compared as text. */
const digest = matching('a SHA-256 of 64 hexadecimal digits in lower case', /^[0-9a-f]{64}$/)
/** The characters of every slug style; a slug with others would have no working address. */
const slug = matching('letters, digits, "_" and "-"', /^[A-Za-z0-9_-]+$/)
const imageTypes = mediaTypes.map(({ mimeType }) => mimeType).filter((mimeType) => mimeType.startsWith('image/'))
const acceptedType = oneOf<string>(...mediaTypes.map(({ mimeType }) => mimeType))

const account = objectOf<AccountRecord>({
  id: recordId,
  email,
  passwordHash: digest,
  keyHash: digest,
  suspended: trueOrFalse,
  suspensionReason: orNull(text),
  ipAllowlist: listOf(text),
  quotas: orNull(checkedBy('limits of its own', (found) => readQuotaLimits(found) !== undefined)),
  albums: wholeNumber,
  feedViews: wholeNumber,
})

type ThumbnailIn<State> = Extract<Thumbnail, { readonly state: State }>

const thumbnail = unionOf<Thumbnail, 'state'>('state', {
  pending: objectOf<ThumbnailIn<'pending'>>({ state: oneOf('pending'), dueAt: instant }),
  ready: objectOf<ThumbnailIn<'ready'>>({
    state: oneOf('ready'),
    blobId: text,
    mimeType: oneOf<string>(...imageTypes),
    sizeBytes: wholeNumber,
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
  mimeType: acceptedType,
  sizeBytes: wholeNumber,
  views: wholeNumber,
  indirectViews: optional(wholeNumber),
  likes: wholeNumber,
  createdAt: instant,
})

const request = objectOf<RequestRecord>({
  method: text,
  endpoint: text,
  status: wholeNumber,
  clientIp: text,
  at: instant,
  cost: wholeNumber,
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
  droppedRequests: listOf(objectOf<DroppedRequests>({ accountId: orNull(recordId), count: wholeNumber })),
  quotas: listOf(objectOf<KeyQuota>({ keyHash: digest, state: someOf(windowNames, windowUse) })),
  lastIds: objectOf<RecordDump['lastIds']>({ account: lastId, upload: lastId }),
})

function matching(accepts: string, pattern: RegExp): Codec<string> {
  return checkedBy<string>(accepts, (found) => typeof found === 'string' && pattern.test(found))
}
