import type { Writable } from 'node:stream'
import { invalidValue, kindOf, quoted } from '../checks/coded-error.ts'
import {
  aFunction,
  aList,
  aSecret,
  aSignal,
  numberFrom,
  type OptionCheck,
  type OptionChecks,
  type OptionWords,
  objectWith,
  wholeNumberFrom,
} from '../checks/options.ts'
import { aBoolean, anything, aText, aWordOf, either, kindBy, someFields } from '../checks/values.ts'
import type { Clock } from '../clock.ts'
import type { Ledger, LedgerProvider } from '../pacing/ledger.ts'
import type { Quota } from '../pacing/pacer.ts'
import { limitsCheck } from '../pacing/quota-model/quota-model.ts'
import { leastBytesPerSecond } from '../protocol/quantities.ts'
import type { QuotaLimits } from '../protocol/rate-limits.ts'
import type { Stats, Upload, UploadPage } from '../protocol/resources.ts'
import type { FileHostError } from './errors.ts'
import type { Reconciliation, UploadIntent } from './exactly-once/candidates.ts'
import type { TellApart } from './exactly-once/compare-bytes.ts'
import type { ClientEvent } from './exchange.ts'
import type { UploadSource } from './sources/upload-source.ts'
import type { Transport } from './transports/transport.ts'

/** Which account a client uses, how it sends, counts and retries. */
export interface ClientOptions {
  /** The service's address, such as `https://files.example`; may have a path prefix and a trailing slash. */
  readonly baseUrl: string | URL
  /**
   * Sent in the X-Api-Key header and nowhere else (spec 5.2). `createClient` refuses undefined, so that
   * `process.env.NAME` can be passed as it is.
   */
  readonly apiKey: string | undefined
  /** Default: undici, through the proxies that the environment names. */
  readonly transport?: Transport | undefined
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined
  /** `false` counts nothing: the client then waits only after a refusal. Default: `{ ledger: 'memory' }`. */
  readonly pacing?: false | PacingOptions | undefined
  readonly retry?: RetryOptions | undefined
  /** Precedes the library's own product token. */
  readonly userAgent?: string | undefined
  /** Called with everything that happens on the wire, the key redacted. For display and logs. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined
  /** Allows the key to travel unencrypted to a host that is not this machine. Default: false. */
  readonly allowInsecureHttp?: boolean | undefined
  /** The bytes of files that all uploads of this client together send in a second: from 100 up. Default: no limit. */
  readonly uploadBytesPerSecond?: number | undefined
}

/** How a client counts the units that its key uses, so that it waits instead of being refused. */
export interface PacingOptions {
  /** In units; null is a window without a limit. Default: those of spec 8. */
  readonly limits?: Partial<QuotaLimits> | undefined
  /**
   * Where the count is kept: `memory` for this client alone; `shared` in a file for all processes of this machine with
   * the same key (a `ledger-problem` event says when the file cannot be used); `redisLedger(url)` of `filehost/redis` for
   * all machines that reach that Redis (a `ledger-outage` event says when it cannot be reached, `ledger-return` when
   * it can again); or a ledger of the caller's, which has its own limits. The client closes what it opened. Default: `memory`.
   */
  readonly ledger?: 'memory' | 'shared' | Ledger | LedgerProvider | undefined
  /** The folder of the shared ledger; clients that name the same folder count together. Default: {@link stateFolder}. */
  readonly folder?: string | undefined
}

/** How often a call is retried, and how long it waits. */
export interface RetryOptions {
  /**
   * How many failures of a call are retried: network failures, 5xx, and a 417, which refuses the `Expect` header of a large
   * body. Waits for quota do not count. Default: 5.
   */
  readonly retries?: number | undefined
  /** How long a call may wait for quota; a longer wait fails at once with its length in the error. Default: unlimited. */
  readonly maxWaitMs?: number | undefined
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface ListOptions extends CallOptions {
  /** Default: 1, the newest uploads. */
  readonly page?: number | undefined
}

/** Bytes handed over so far; `total` is undefined for a source of unknown size. */
export interface Progress {
  readonly sent: number
  readonly total: number | undefined
}

/**
 * The state of an upload. `waiting`: for its turn; the service has nothing of it. `sending`: bytes are leaving. `sent`: all
 * bytes have been handed over, so that the service may have stored it. After a refusal, or a failure after which nothing is
 * stored, the upload is `waiting` again.
 */
export type UploadState = 'waiting' | 'sending' | 'sent'

export interface UploadOptions extends CallOptions {
  /** Called as the file's bytes leave; starts again from 0 with every attempt. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /**
   * Called with the file's bytes before they leave; begins again after every `onIntent`. For a hash without a second reading:
   * copy what you keep, because the memory of a file's bytes is used again. If it aborts the `signal`, these bytes do not leave.
   */
  readonly onBytes?: ((bytes: Uint8Array) => void) | undefined
  /** Called whenever the state changes, and sometimes when it does not. Decide by this, and not by events. */
  readonly onState?: ((state: UploadState) => void) | undefined
  /** Called with what happens on the wire during this upload; the client's own `onEvent` gets the events of all calls. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined
  /** Refuses larger files before a byte is sent. Default: 200 MB (spec 8.7); the service may allow more or less. */
  readonly maxFileSizeBytes?: number | undefined
  /** Sends files of any type: the service judges. Default: false. */
  readonly anyType?: boolean | undefined
  /**
   * Called before the first byte of each attempt leaves; a promise that it returns is awaited first. A program that stores
   * the intent can pass it to {@link Client.reconcile} after a crash. What this throws ends the upload, with nothing sent.
   */
  readonly onIntent?: ((intent: UploadIntent) => unknown) | undefined
  /** Slugs of other files of the account, besides those that clients of this process have uploaded. */
  readonly knownSlugs?: readonly string[] | undefined
  /** Replaces the comparison with the bytes on the site: for a program that keeps a log of what it and others send. */
  readonly tellApart?: TellApart | undefined
}

/** Where a download goes: a path, or a writable stream of Node or of the web. */
export type DownloadDestination = string | Writable | WritableStream<Uint8Array>

export interface DownloadOptions extends CallOptions {
  /** Whether to replace another file that has the path. Default: false. */
  readonly force?: boolean | undefined
  /** Called with the bytes that are here, also those of an earlier download that is continued, and the file's size. */
  readonly onProgress?: ((progress: { readonly received: number; readonly total: number }) => void) | undefined
}

export interface ReconcileOptions extends CallOptions {
  /** Called once if the list does not show all of them and is read again: in so many milliseconds. */
  readonly onWaiting?: ((ms: number) => void) | undefined
  /** What was sent for each intent, in their order: its bytes tell which upload of the list it is. Default: unknown. */
  readonly sources?: readonly (UploadSource | undefined)[] | undefined
  /** Replaces that comparison, as in {@link UploadOptions.tellApart}. */
  readonly tellApart?: TellApart | undefined
}

/** The service's answer, with any status. */
export interface RawResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON, or the text if it is not JSON. */
  readonly body: unknown
  /** The body, unparsed. */
  readonly text: string
  /** What the typed calls would throw for this answer; undefined for a success. */
  readonly error: FileHostError | undefined
}

export interface RequestOptions extends CallOptions {
  /** Text and bytes are sent as they are, everything else as JSON. */
  readonly body?: unknown
  readonly contentType?: string | undefined
  /** Called with what happens on the wire during this call. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined
}

/**
 * One account of the service. All calls throw errors of the {@link FileHostError} family, and `AbortError` after an abort
 * by the caller. Safe calls are repeated after network failures, 429, 500, 502, 503 and 504; an upload only if an answer,
 * the connection or the list proves that it was not stored (docs/exactly-once.md).
 */
export interface Client extends AsyncDisposable {
  /** One page of the list, newest first (spec 4.2): 1 unit. Default: page 1. */
  list(options?: ListOptions): Promise<UploadPage>
  /**
   * All uploads, newest first, one page at a time: 1 unit a page. Yields each slug once, and misses none that stays, though
   * pages shift meanwhile: where uploads are deleted while it reads, pages are read again, and what they then show comes late.
   * @throws UnexpectedResponseError, after what could be read, where uploads may be missing: so many were deleted meanwhile,
   * another page came than the one asked for, or the list ended before its total; and for a list without an end
   */
  uploads(options?: CallOptions): AsyncGenerator<Upload, void, undefined>
  /** One upload (spec 4.3): 1 unit. @throws NotFoundError */
  show(slug: string, options?: CallOptions): Promise<Upload>
  /** The account's statistics (spec 4.5): 1 unit. */
  stats(options?: CallOptions): Promise<Stats>
  /**
   * Uploads one file (spec 4.1): 10 units. The name is that of the path, the File or the URL, else `upload.<extension>`.
   * @throws SourceError before a byte is sent if the file is missing, empty, too large or of a type not accepted
   * @throws UnknownOutcomeError if the whole file was sent and not even the list tells whether it was stored
   */
  upload(source: UploadSource, options?: UploadOptions): Promise<Upload>
  /**
   * Finds out from the list whether uploads without an answer were stored: 1 unit a page, and a second look up to 5 s
   * later if one is missing. Pass all that are open together, because one may explain what the list shows of another, and
   * the sources that were sent: the list alone proves of no entry that it is one of them, so that without its source an
   * upload that the list may show is `ambiguous`. Do not pass uploads that are still being sent.
   * @returns the results in the order given
   * @throws FileHostError when the list cannot be read
   */
  reconcile(intents: readonly UploadIntent[], options?: ReconcileOptions): Promise<readonly Reconciliation[]>
  /**
   * Downloads the file of one upload, without the key, and resumes where a connection breaks: 1 unit. To a path: in a part
   * beside it (`<path>.part`), renamed when it is whole, which a later download continues and a second one at the same time is
   * refused; a file of the upload's size counts as it. A stream is ended after the last byte, and destroyed after a failure;
   * process.stdout and process.stderr stay open.
   * @throws DownloadError if another file has the path, the path or the stream takes no bytes, or the size is not the
   * upload's; NotFoundError without the upload or its file
   */
  download(slug: string, destination: DownloadDestination, options?: DownloadOptions): Promise<Upload>
  /** Deletes one upload for good (spec 4.4): 3 units. @throws NotFoundError */
  delete(slug: string, options?: CallOptions): Promise<void>
  /** Any call below the base URL; resolves with errors of the service too. A POST is not repeated. */
  request(method: string, path: string, options?: RequestOptions): Promise<RawResponse>
  /** The ledger's windows; empty without pacing. */
  quota(): Quota
  /**
   * Closes kept-alive connections and the shared ledger's file, as the end of an `await using` block does. Later calls, and
   * further attempts of calls under way, fail with the code `client-closed`, with nothing sent.
   */
  close(): Promise<void>
}

/** The options of every public call, in plain JavaScript too. */

const transport = objectWith(['send'], 'a transport, such as fetchTransport() or undiciTransport()')
const clock = objectWith(['now', 'sleep'], 'a clock with now and sleep, such as systemClock')
/** Else every request would fail as if the connection had broken, and be repeated. */
const aHeader = kindBy(
  'a text that fits into a header, without line breaks',
  (found) => typeof found === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(found),
)
const retry: OptionChecks<RetryOptions> = {
  retries: numberFrom(0, 'a number from 0 up'),
  maxWaitMs: numberFrom(0, 'milliseconds from 0 up'),
}

/** Told by its kind alone: the URL of a Redis server, which people give instead, may contain a password. */
const ledger: OptionCheck = {
  ...either(
    "'memory', 'shared', a ledger, or redisLedger(url) from filehost/redis",
    aWordOf(['memory', 'shared']),
    objectWith(['reserve', 'settle', 'windows', 'changed'], 'a ledger'),
    objectWith(['open'], 'a ledger'),
  ),
  isSecret: true,
}

const pacing: OptionChecks<PacingOptions> = {
  limits: limitsCheck,
  ledger,
  folder: aText,
}

export const clientOptions: OptionChecks<ClientOptions> = {
  baseUrl: either(
    'an address such as https://files.example',
    aText,
    kindBy('a URL', (url) => 'href' in Object(url)),
  ),
  apiKey: aSecret,
  transport,
  clock,
  pacing: either('false, or an object with any of limits, ledger, folder', aWordOf([false]), someFields(pacing)),
  retry: someFields(retry),
  userAgent: aHeader,
  onEvent: aFunction,
  allowInsecureHttp: aBoolean,
  uploadBytesPerSecond: numberFrom(leastBytesPerSecond, `bytes per second from ${leastBytesPerSecond} up`),
}

export const clientWords: OptionWords = { takes: 'an object such as { baseUrl, apiKey }', required: ['baseUrl'] }

export const callOptions: OptionChecks<CallOptions> = { signal: aSignal }
export const reconcileOptions: OptionChecks<ReconcileOptions> = {
  ...callOptions,
  onWaiting: aFunction,
  sources: aList,
  tellApart: aFunction,
}
export const listOptions: OptionChecks<ListOptions> = {
  ...callOptions,
  page: wholeNumberFrom(1, 'a whole number from 1 up'),
}

export const downloadOptions: OptionChecks<DownloadOptions> = {
  ...callOptions,
  force: aBoolean,
  onProgress: aFunction,
}

export const uploadOptions: OptionChecks<UploadOptions> = {
  ...callOptions,
  onProgress: aFunction,
  onBytes: aFunction,
  onState: aFunction,
  onEvent: aFunction,
  onIntent: aFunction,
  maxFileSizeBytes: numberFrom(0, 'bytes from 0 up'),
  anyType: aBoolean,
  knownSlugs: aList,
  tellApart: aFunction,
}

export const requestOptions: OptionChecks<RequestOptions> = {
  ...callOptions,
  body: anything,
  contentType: aHeader,
  onEvent: aFunction,
}

/** @param call whose argument it is @throws TypeError */
export function checkSlug(call: string, slug: unknown): void {
  if (typeof slug === 'string' && !slug.includes('://')) return
  const isAddress = typeof slug === 'string'
  const found = isAddress ? `the address ${quoted(slug)}: the slug is the last part of its path` : kindOf(slug)
  throw invalidValue(`${call} takes a slug, but got ${found}`)
}
