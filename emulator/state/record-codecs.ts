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
} from '../storage/record-store.ts'
import {
  checkedBy,
  instant,
  listOf,
  objectOf,
  oneOf,
  orNull,
  someOf,
  text,
  trueOrFalse,
  unionOf,
  wholeNumber,
} from './codec.ts'
import { windowUse } from './window-use-codec.ts'

const account = objectOf<AccountRecord>({
  id: wholeNumber,
  email: text,
  passwordHash: text,
  keyHash: text,
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
    mimeType: text,
    sizeBytes: wholeNumber,
  }),
  none: objectOf<ThumbnailIn<'none'>>({ state: oneOf('none') }),
})

const upload = objectOf<UploadRecord>({
  id: wholeNumber,
  slug: text,
  accountId: wholeNumber,
  blobId: orNull(text),
  thumbnail,
  title: orNull(text),
  mimeType: text,
  sizeBytes: wholeNumber,
  views: wholeNumber,
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
  accountId: orNull(wholeNumber),
  keyIn: oneOf('header', 'query', 'none'),
})

/** All records as a snapshot has them. A field that a record gains has to be named here, or nothing compiles. */
export const recordDump = objectOf<RecordDump>({
  accounts: listOf(account),
  uploads: listOf(upload),
  requests: listOf(request),
  droppedRequests: listOf(objectOf<DroppedRequests>({ accountId: orNull(wholeNumber), count: wholeNumber })),
  quotas: listOf(objectOf<KeyQuota>({ keyHash: text, state: someOf(windowNames, windowUse) })),
  lastIds: objectOf<RecordDump['lastIds']>({ account: wholeNumber, upload: wholeNumber }),
})
