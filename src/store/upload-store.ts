import type { Upload } from '../protocol/resources.ts'

/** A file's content: its size in bytes, and its hash in hex, which is empty where it was not hashed. */
export interface Content {
  readonly size: number
  readonly sha256: string
}

/** Names an account: by `accountAddress`, and by a hash of address and key, for the key itself is never written. */
export interface Account {
  readonly address: string
  readonly keyHash: string
}

/** A file that is to be sent. */
export interface ClaimedFile extends Content {
  /** Its absolute path; `-` and a name for what is not read from a path. */
  readonly path: string
  /** Whether it is sent although the account may have its content. */
  readonly isForced: boolean
}

/** What is kept of an attempt before its first byte leaves. Times are epoch milliseconds of this machine's clock. */
export interface Attempt {
  /** In bytes; null for a stream of unknown size. */
  readonly size: number | null
  readonly mimeType: string
  readonly startedAt: number
  /** The clock's monotonic time at `startedAt`. */
  readonly monotonic?: number
  /** Bounds of `startedAt` by the service's clock. */
  readonly serviceStartedAt?: { readonly from: number; readonly to: number }
}

/** A file that was begun to be sent, and whose outcome is not known. */
export interface OpenItem extends Omit<ClaimedFile, 'isForced'> {
  readonly id: string
  readonly attempt: Attempt
  /** When its run gave up, in epoch milliseconds; null where the run ended before that. */
  readonly endedAt: number | null
}

/** A file that a run at work has begun to send. Until all of it is sent it has no hash: the service cannot have stored it. */
export interface Underway extends Content {
  readonly id: string
  readonly mimeType: string
  /** Whether its attempt has ended without an answer, and its run looks for it. */
  readonly isLooking: boolean
}

/** The run that has a content: another one, or this run itself, which may have it as another file. */
export interface Holder {
  readonly pid: number
  readonly path: string
  readonly isOwn: boolean
}

/** An upload of some content: of a file of this base name, at this time in epoch milliseconds. */
export interface KnownUpload {
  readonly slug: string
  readonly name: string
  readonly at: number
  /** Whether no list has shown it yet, so that a service with a lag may still not do so. */
  readonly isUnlisted: boolean
  /** The upload, where it was stored or seen so recently that asking the service would tell nothing new. */
  readonly upload: Upload | undefined
}

/** What the service showed. */
export interface SeenUpload {
  readonly content: Content
  /** As {@link ClaimedFile.path}. */
  readonly path: string
  /** The type that was sent, if this is known. */
  readonly mimeType?: string | undefined
  readonly upload: Upload
  /** When it was uploaded, if that is known, and when the service showed it: in epoch milliseconds. Default: now. */
  readonly at?: number
  readonly seenAt?: number
}

/** How the claim of a file ended. */
export type ClaimStatus =
  /** This run may send it. */
  | { readonly type: 'mine'; readonly id: string }
  /** Something of the same size is known: the hash has to tell whether it is the same. */
  | { readonly type: 'needs-hash' }
  /** A run at work sends the same content, or content that it has not hashed yet. */
  | { readonly type: 'waits'; readonly holder: Holder | undefined }
  /** The account has it, as far as is known here. */
  | { readonly type: 'stored' }
  /** A run that is over may have stored it: it is this run's now to find out, and all others wait for that. */
  | { readonly type: 'open'; readonly item: OpenItem }
  /** Redis is new, or has lost something: nothing is claimed for so many milliseconds. */
  | { readonly type: 'settling'; readonly ms: number }
  /** Another run has it, and nothing tells whether that is over. */
  | { readonly type: 'doubtful' }

/**
 * What an account has, and which run sends what. Backends: memory, SQLite, and Redis beside these.
 * @throws StoreError in each call: `busy` where another process holds the store, `newer` where a later version has written
 * it, `unreachable` and `lost` with Redis
 */
export interface UploadStore {
  /** Whether an upload of this size is known. */
  hasSize(size: number): Promise<boolean>
  /** Call before many contents are asked about. */
  expect(contents: readonly Content[]): Promise<void>
  /** The uploads of a content: first those that are present without asking, each kind from the newest. */
  known(content: Content): Promise<readonly KnownUpload[]>
  claim(file: ClaimedFile): Promise<ClaimStatus>
  /** The content of a file that is being sent. */
  hashed(id: string, sha256: string): Promise<void>
  /** Call before the first byte of each attempt leaves. @returns false where it is not this run's: nothing may be sent */
  intend(id: string, attempt: Attempt): Promise<boolean>
  /** All bytes were sent, and no answer came: this run looks for it. */
  looking(id: string): Promise<void>
  /** Whether the file is still this run's, and whether another run waits for its hash. */
  claimed(id: string): Promise<'mine' | 'awaited' | 'lost'>
  /** The service has answered. */
  stored(id: string, upload: Upload): Promise<void>
  /** The list shows it. @returns false where the upload is known to be another file's: then nothing changes */
  found(id: string, upload: Upload): Promise<boolean>
  /** It is certainly not stored, or nothing of it was sent. */
  notStored(id: string): Promise<void>
  /**
   * This run does not find out what became of it: the next one does. Call when the last attempt has ended.
   * @returns whether anything of it was sent
   */
  unknown(id: string): Promise<boolean>
  /** What runs that are over have left open, in the order in which it was claimed. */
  leftOpen(): Promise<readonly OpenItem[]>
  /** Makes such an item this run's, which finds out about it. @returns false where another run was first */
  takeOver(id: string): Promise<boolean>
  /** What runs at work have begun to send, in the order in which it was claimed. */
  underway(): Promise<readonly Underway[]>
  /** The hashes of those of these uploads that are known here, by slug; empty for one that was not hashed. */
  owners(slugs: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** The last uploads of the account: at most a thousand. */
  latestSlugs(): Promise<readonly string[]>
  /** Whether the service has stored files of this type as they were sent, and none otherwise. */
  keeps(mimeType: string): Promise<boolean>
  seen(upload: SeenUpload): Promise<void>
  /** Call before the request to delete an upload leaves: then it is not present without asking. */
  deleting(slug: string): Promise<void>
  /** The service no longer has these. */
  forget(slugs: readonly string[]): Promise<void>
  /** Whether this account is new here, and another key of its address is not. */
  mayAdopt(): Promise<boolean>
  /** Takes over the uploads of another key of the address which has one of these. */
  adopt(slugs: readonly string[]): Promise<void>
  /** Forgets the account, but not what runs at work are sending. @returns how many such runs there are */
  forgetAccount(): Promise<number>
  /**
   * For how long all that runners of the key have stored is known here, in milliseconds; undefined where that is long enough.
   * What is older may be in the list alone.
   */
  doubtedMs(): number | undefined
  /** The run is over. */
  close(): Promise<void>
}
