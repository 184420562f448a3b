import type { Clock } from '../clock.ts'
import type { Ledger } from '../pacing/ledger.ts'
import type { Quota } from '../pacing/pacer.ts'
import type { QuotaLimits } from '../protocol/rate-limits.ts'
import type { Stats, Upload, UploadPage } from '../protocol/resources.ts'
import type { FileHostError } from './errors.ts'
import type { ClientEvent } from './events.ts'
import type { Reconciliation, UploadIntent } from './exactly-once/upload-intent.ts'
import type { UploadSource } from './sources/upload-source.ts'
import type { Transport } from './transports/transport.ts'

/** How a client reaches its account, and how patiently. */
export interface ClientOptions {
  /** Where the service lives, as `https://files.example` or with a path prefix; a trailing slash does not matter. */
  readonly baseUrl: string | URL
  /**
   * Opaque; sent in the X-Api-Key header and nowhere else (spec 5.2). An undefined one is refused, so that a variable
   * of the environment may stand here as it is.
   */
  readonly apiKey: string | undefined
  /** Default: undici, honouring the environment's proxies. */
  readonly transport?: Transport
  /** Default: the system's clock. */
  readonly clock?: Clock
  /** `false` counts nothing: quotas are heeded as refusals only. Default: `{ ledger: 'memory' }`. */
  readonly pacing?: false | PacingOptions
  readonly retry?: RetryOptions
  /** Put before the library's own product token. */
  readonly userAgent?: string
  /** Told everything that happens on the wire, the key redacted. */
  readonly onEvent?: (event: ClientEvent) => void
  /** Allows the key to travel unencrypted to a host that is not this machine. Default: false. */
  readonly allowInsecureHttp?: boolean
}

/** How a client counts what its key uses, so that it waits before it is refused. */
export interface PacingOptions {
  /** In units; null is a window without a limit. Default: the spec's (spec 8). */
  readonly limits?: Partial<QuotaLimits>
  /**
   * Where it is kept what the key has used: for this client alone, in a file shared by all processes of this machine
   * that use the same key (onEvent hears where that file cannot be used), or in a ledger of the caller's, which then knows its own limits. Default: `memory`.
   */
  readonly ledger?: 'memory' | 'shared' | Ledger
  /** Where the shared ledger is kept; those who name the same folder count together. Default: {@link stateFolder}'s. */
  readonly folder?: string
  /** Units of the hour and of the day that are left to others. Default: 0. */
  readonly reserve?: number
}

/** How long a call is kept up. */
export interface RetryOptions {
  /** How often a network failure or a 5xx is tried again; 0 = never. Waits for quota do not count. Default: 5. */
  readonly retries?: number
  /** The longest a call waits for quota; where that is not enough it fails, the wait in the error. Default: unlimited. */
  readonly maxWaitMs?: number
}

/** Bytes handed over so far; `total` is undefined where the source does not know its size. */
export interface Progress {
  readonly sent: number
  readonly total: number | undefined
}

/** What may be said of one upload. */
export interface UploadOptions {
  readonly signal?: AbortSignal
  /** Told as the file's bytes leave; starts again from 0 with every attempt. */
  readonly onProgress?: (progress: Progress) => void
  /** Told what happens on the wire in the course of this upload, as the client's own `onEvent` is of all calls. */
  readonly onEvent?: (event: ClientEvent) => void
  /** Larger files are refused before a byte is sent. Default: 200 MB (spec 8.7); the service may be set otherwise. */
  readonly maxFileSizeBytes?: number
  /** Sends files of types that are not known here too: the service judges. Default: false. */
  readonly anyType?: boolean
  /**
   * Told before the first byte of each attempt may leave, and not waited for: whoever writes it down at once can settle
   * it after a crash with {@link Client.reconcile}. What it throws ends the upload, with nothing sent.
   */
  readonly onIntent?: (intent: UploadIntent) => void
  /** Uploads of the account that are known to be other files, beyond those this client has made itself. */
  readonly knownSlugs?: readonly string[]
}

/** What may be said of any call. */
export interface CallOptions {
  readonly signal?: AbortSignal
}

/** An answer as it came, whatever its status. */
export interface RawResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed where it is JSON, else the text. */
  readonly body: unknown
  /** The body as it came. */
  readonly text: string
  /** What an answer without success stands for: what the typed calls throw of it. Undefined for a success. */
  readonly error: FileHostError | undefined
}

/** What a raw call sends, and who hears of it. */
export interface RequestOptions extends CallOptions {
  /** Sent as JSON unless it is text or bytes. */
  readonly body?: unknown
  readonly contentType?: string
  /** Told what happens on the wire in the course of this call. */
  readonly onEvent?: (event: ClientEvent) => void
}

/**
 * One account of the service. All calls throw the errors of {@link FileHostError}'s family, and `AbortError` where the
 * caller aborted. Safe calls are repeated after network failures, 429, 500, 502, 503 and 504; an upload only where an
 * answer, the connection or the list proves that it was not stored (docs/exactly-once.md).
 */
export interface Client {
  /**
   * Uploads one file (spec 4.1): 10 units.
   * @throws SourceError before a byte is sent where the file is missing, empty, too large or of a type not accepted
   * @throws UnknownOutcomeError where the whole file was sent and not even the list tells what became of it
   */
  upload(source: UploadSource, options?: UploadOptions): Promise<Upload>
  /**
   * Finds out from the list what became of uploads whose answer never came, all at once, so that one accounts for
   * another: 1 unit a page, and a second look up to 5 s later where one is missing. In the order given. Not for uploads
   * that may still be on their way.
   * @throws FileHostError where the list cannot be read
   */
  reconcile(intents: readonly UploadIntent[], options?: CallOptions): Promise<readonly Reconciliation[]>
  /** @deprecated Use {@link Client.reconcile}. */
  settle: Client['reconcile']
  /** One page of the list, newest first (spec 4.2): 1 unit. Default: page 1. */
  list(options?: CallOptions & { readonly page?: number }): Promise<UploadPage>
  /** All uploads, newest first, page by page: 1 unit a page. A slug is yielded once, though pages shift meanwhile. */
  uploads(options?: CallOptions): AsyncGenerator<Upload, void, undefined>
  /** One upload (spec 4.3): 1 unit. @throws NotFoundError */
  show(slug: string, options?: CallOptions): Promise<Upload>
  /** Deletes one upload for good (spec 4.4): 3 units. @throws NotFoundError */
  delete(slug: string, options?: CallOptions): Promise<void>
  /** The account's statistics (spec 4.5): 1 unit. */
  stats(options?: CallOptions): Promise<Stats>
  /** Any call below the base URL, answered as it came, errors of the service included. A POST is not repeated. */
  request(method: string, path: string, options?: RequestOptions): Promise<RawResponse>
  /** The ledger's windows; empty without a ledger. */
  quota(): Quota
  /** Lets go of kept-alive connections, and of the shared ledger's file. */
  close(): Promise<void>
}
