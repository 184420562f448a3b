import type { AttemptBody } from '../attempt.ts'
import type { UploadBodyOptions } from '../sources/upload-body.ts'
import type { PreparedSource } from '../sources/upload-source.ts'
import type { UploadIntent } from './upload-intent.ts'

/** One upload on its way through its attempts: what of it may be stored by now. */
export interface UploadFlight {
  /** The body of the next attempt. */
  body(): AttemptBody
  /** What may be stored by now; undefined while nothing can be. */
  open(): UploadIntent | undefined
  /** The attempt that has just ended may have been stored: the intent reaches back to its start from now on. */
  leaveOpen(): UploadIntent
  /** In bytes, as far as it is known by now. */
  size(): number | undefined
}

interface FlightOptions extends UploadBodyOptions {
  readonly now: () => number
  readonly createBody: (source: PreparedSource, options: UploadBodyOptions) => AttemptBody
  readonly onIntent?: ((intent: UploadIntent) => void) | undefined
  /** What became known since then and is not this upload. */
  readonly knownSince: (at: number) => readonly string[]
}

/** A service's times are told apart from earlier ones within seconds; what was known before that need not be named. */
const WORTH_KNOWING_MS = 60_000

export function followUpload(source: PreparedSource, options: FlightOptions): UploadFlight {
  const { now, createBody, onIntent, knownSince, onProgress, signal } = options
  let startedAt: number | undefined
  let knownSlugs: readonly string[] = []
  let endedAt: number | null = null
  let leftOpen = false
  let sent = 0
  let body: AttemptBody | undefined

  const size = () => source.size ?? (body?.finished() ? sent : undefined)

  const intentFrom = (from: number): UploadIntent => ({
    size: size() ?? null,
    mimeType: source.mimeType,
    startedAt: from,
    endedAt,
    knownSlugs,
  })

  /** Every earlier attempt that was not left open is proven not to have been stored. */
  const onStart = () => {
    if (!leftOpen || startedAt === undefined) {
      startedAt = now()
      knownSlugs = knownSince(startedAt - WORTH_KNOWING_MS)
    }
    endedAt = null
    onIntent?.(intentFrom(startedAt))
  }

  return {
    size,
    body() {
      body = createBody(source, {
        signal,
        onStart,
        onProgress(progress) {
          sent = progress.sent
          onProgress?.(progress)
        },
      })
      return body
    },
    open: () => (startedAt !== undefined && (leftOpen || body?.finished()) ? intentFrom(startedAt) : undefined),
    leaveOpen() {
      leftOpen = true
      endedAt = now()
      return intentFrom(startedAt ?? endedAt)
    },
  }
}
