import type { Clock } from '../clock.ts'
import type { Pacer, Quota } from '../pacing/pacer.ts'
import type { Stats, Upload, UploadPage } from '../protocol/resources.ts'
import type { ClientEvent } from './events.ts'
import type { Transport } from './transport.ts'
import type { UploadSource } from './upload-source.ts'

export interface ClientOptions {
  /** Where the service lives, as `https://files.example` or with a path prefix; a trailing slash does not matter. */
  readonly baseUrl: string | URL
  /** Opaque; sent in the X-Api-Key header and nowhere else (spec 5.2). */
  readonly apiKey: string
  /** Default: undici, honouring the environment's proxies. */
  readonly transport?: Transport
  /** Default: the system's clock. */
  readonly clock?: Clock
  /** `false` counts nothing: quotas are heeded as refusals only. A pacer may be shared by several clients of one key. */
  readonly pacing?: false | Pacer
  readonly retry?: RetryOptions
  /** Put before the library's own product token. */
  readonly userAgent?: string
  /** Told everything that happens on the wire, the key redacted. */
  readonly onEvent?: (event: ClientEvent) => void
  /** Allows the key to travel unencrypted to a host that is not this machine. Default: false. */
  readonly allowInsecureHttp?: boolean
}

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

export interface UploadOptions {
  readonly signal?: AbortSignal
  /** Told as the file's bytes leave; starts again from 0 with every attempt. */
  readonly onProgress?: (progress: Progress) => void
  /** Told what happens on the wire in the course of this upload, as the client's own `onEvent` is of all calls. */
  readonly onEvent?: (event: ClientEvent) => void
  /** Larger files are refused before a byte is sent. Default: 200 MB (spec 8.7); the service may be set otherwise. */
  readonly maxFileSizeBytes?: number
}

export interface CallOptions {
  readonly signal?: AbortSignal
}

export interface RawResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Parsed where it is JSON, else the text. */
  readonly body: unknown
}

export interface RequestOptions extends CallOptions {
  /** Sent as JSON unless it is text or bytes. */
  readonly body?: unknown
  readonly contentType?: string
}

/**
 * One account of the service. All calls throw the errors of {@link FileHostError}'s family, and `AbortError` where the
 * caller aborted. Safe calls are repeated after network failures, 429, 500, 502, 503 and 504; an upload only after an
 * answer that proves it was not stored, or when the connection failed before the whole body had left.
 */
export interface Client {
  /**
   * Uploads one file (spec 4.1): 10 units.
   * @throws SourceError before a byte is sent where the file is missing, empty, too large or of a type not accepted
   * @throws UnknownOutcomeError where the whole file was sent and nothing proves what became of it
   */
  upload(source: UploadSource, options?: UploadOptions): Promise<Upload>
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
  /** Lets go of kept-alive connections. */
  close(): Promise<void>
}
