import { type Clock, steadyMs } from '../../clock.ts'
import type { Upload } from '../../protocol/resources.ts'
import type { AttemptBody } from '../attempt.ts'
import { createUploadBody, type UploadBodyOptions } from '../sources/upload-body.ts'
import type { PreparedSource } from '../sources/upload-source.ts'
import type { UploadRegistry } from './account-uploads.ts'
import type { SourcePrinter } from './file-print.ts'
import type { Moment, ServiceClock } from './service-clock.ts'
import type { UncertainUpload } from './uncertain-upload.ts'
import type { UploadIntent } from './upload-intent.ts'

interface AttemptsOptions extends UploadBodyOptions {
  /** Steady, if the client's clock can be. */
  readonly clock: Clock
  readonly serviceClock: ServiceClock
  readonly registry: UploadRegistry
  readonly onIntent?: ((intent: UploadIntent) => unknown) | undefined
  readonly printer: SourcePrinter
}

/** What was known at the start of the first attempt that may have been stored. */
interface Start {
  readonly moment: Moment
  readonly monotonic: number | undefined
  readonly knownSlugs: readonly string[]
  readonly mark: number
}

export function trackAttempts(source: PreparedSource, options: AttemptsOptions) {
  const { clock, serviceClock, registry, onIntent, onProgress, onBytes, printer } = options
  let start: Start | undefined
  let end: Moment | undefined
  let isUncertain = false
  let sentAt = 0
  let sent = 0
  let body: AttemptBody | undefined

  const size = () => source.size ?? (body?.finished() ? sent : undefined)

  const begin = (): Start => ({
    moment: serviceClock.moment(),
    monotonic: clock.monotonic && steadyMs(clock),
    knownSlugs: registry.recent(),
    mark: registry.mark(),
  })

  function intentOf({ moment, monotonic, knownSlugs }: Start): UploadIntent {
    const begun = serviceClock.when(moment)
    const isTold = Number.isFinite(begun.from) && Number.isFinite(begun.to)
    return {
      size: size() ?? null,
      mimeType: source.mimeType,
      startedAt: moment.at,
      endedAt: end?.at ?? null,
      ...(monotonic !== undefined && { monotonic }),
      ...(isTold && { serviceStartedAt: begun }),
      knownSlugs,
    }
  }

  function uncertainSince(from: Start): UncertainUpload {
    const endedAt = end
    return {
      intent: intentOf(from),
      timing: () => ({
        begun: serviceClock.when(from.moment),
        ended: endedAt && serviceClock.isSteady ? serviceClock.when(endedAt).to : Number.POSITIVE_INFINITY,
      }),
      wasSeenBefore: (slug) => registry.wasSeenBefore(slug, from.mark),
      quietMs: () => (endedAt && serviceClock.isSteady ? clock.now() - endedAt.at : 0),
      isAnswerDue: endedAt === undefined && body?.finished() === true,
    }
  }

  /** If no earlier attempt is marked as uncertain, none was stored, and the intent begins with this one. */
  const onStart = async () => {
    sentAt = clock.now()
    printer.restart()
    if (!isUncertain || start === undefined) start = begin()
    end = undefined
    await onIntent?.(intentOf(start))
  }

  return {
    /** Learns from the answer to the last attempt: when and how the service stores files, and that this one is stored. */
    answered(upload: Upload): void {
      serviceClock.stored(upload, sentAt)
      registry.answered(upload, { size: size() ?? upload.size, mimeType: source.mimeType })
    },
    /** Whether an answer shows a file of another size, and the service keeps files: a proxy's cache may have answered. */
    isAnother: ({ slug, size: shown }: Upload) =>
      registry.isOurs(slug) && shown !== size() && registry.treatmentOf(source.mimeType) === 'keeps',
    /** The body of the next attempt. */
    async body(): Promise<AttemptBody> {
      registry.attemptEnded()
      body = await createUploadBody(source, {
        ...options,
        onStart,
        onBytes(bytes) {
          printer.sent(bytes)
          onBytes?.(bytes)
        },
        onProgress(progress) {
          sent = progress.sent
          onProgress?.(progress)
        },
      })
      return body
    },
    /** The upload, if the service may have stored it by now. */
    uncertain: () => (start !== undefined && (isUncertain || body?.finished()) ? uncertainSince(start) : undefined),
    /** Notes that the attempt which has just ended may have been stored: from now on the intent begins with it. */
    markUncertain(): UncertainUpload {
      isUncertain = true
      start ??= begin()
      end = serviceClock.moment()
      registry.attemptEnded()
      return uncertainSince(start)
    },
  }
}

/** The attempts of one upload, and whether the service may have stored one of them. */
export type UploadAttempts = ReturnType<typeof trackAttempts>
