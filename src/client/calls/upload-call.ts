import type { Clock } from '../../clock.ts'
import { endpoints } from '../../protocol/endpoints.ts'
import { parseUploadEnvelope, type Upload } from '../../protocol/resources.ts'
import { isGarbled, isJsonAnswer, isSuccess } from '../answer.ts'
import { unknownOutcome } from '../attempt-errors.ts'
import type { Caller, CallResult } from '../caller.ts'
import { FileHostError, UnexpectedResponseError, UnknownOutcomeError } from '../errors.ts'
import type { ClientEvent } from '../events.ts'
import { createKeyedMutex } from '../exactly-once/keyed-mutex.ts'
import type { Reconcile } from '../exactly-once/reconcile.ts'
import type { ServiceClock } from '../exactly-once/service-clock.ts'
import {
  ambiguousOutcome,
  notStored,
  notTheServiceOutcome,
  unreadableOutcome,
} from '../exactly-once/unknown-outcome.ts'
import { trackAttempts, type UploadAttempts } from '../exactly-once/upload-attempts.ts'
import type { UploadRegistry } from '../exactly-once/upload-registry.ts'
import type { Client, UploadOptions } from '../options.ts'
import { parseAnswer } from '../response.ts'
import { shareSignal } from '../shared-signal.ts'
import { type PreparedSource, prepareSource } from '../sources/upload-source.ts'
import { TransportError } from '../transports/transport.ts'

interface UploadTools {
  readonly caller: Caller
  /** A steady one where there is one. */
  readonly clock: Clock
  readonly serviceClock: ServiceClock
  readonly reconcile: Reconcile
  readonly registry: UploadRegistry
  /** How often a failure is tried again. */
  readonly retries: number
  readonly report: (event: ClientEvent) => void
}

/**
 * Uploads are sent until an answer or the list says what became of them. Two that look the same are never on their way
 * together, for the list could not tell which of them it shows.
 */
export function createUploadCall(tools: UploadTools): Client['upload'] {
  const { clock, serviceClock, registry } = tools
  const mutex = createKeyedMutex()
  return async (source, options = {}) => {
    const { signal, maxFileSizeBytes, anyType, onProgress, onIntent } = options
    shareSignal(signal)
    const prepared = await prepareSource(source, { maxFileSizeBytes, anyType, signal })
    let release: (() => void) | undefined
    try {
      // form-data and its table of types are half of what this library would load: too much for a program that only lists.
      const { createUploadBody } = await import('../sources/upload-body.ts')
      signal?.throwIfAborted()
      const { mimeType, size } = prepared
      release = size === undefined ? undefined : await mutex.acquire(`${mimeType} ${size}`, signal)
      const follow = { createBody: createUploadBody, clock, serviceClock, registry, onIntent, onProgress, signal }
      return await sendWatched(prepared, trackAttempts(prepared, follow), options, tools)
    } finally {
      release?.()
      prepared.close()
    }
  }
}

/** Sends it, known to the registry as long as it is on its way, and beyond where nothing tells what became of it. */
async function sendWatched(
  source: PreparedSource,
  attempts: UploadAttempts,
  options: UploadOptions,
  tools: UploadTools,
): Promise<Upload> {
  const { registry } = tools
  const close = registry.track(attempts.uncertain)
  try {
    return await sendUntilKnown(source, attempts, options, tools)
  } catch (error) {
    const proven = error instanceof FileHostError && !(error instanceof UnknownOutcomeError)
    if (!proven && attempts.uncertain() !== undefined) registry.addUncertain(attempts.markUncertain())
    throw error
  } finally {
    close()
  }
}

async function sendUntilKnown(
  source: PreparedSource,
  attempts: UploadAttempts,
  options: UploadOptions,
  tools: UploadTools,
): Promise<Upload> {
  const { signal, onEvent } = options
  const tried = { attempts: 0, failures: 0 }
  const count = (event: ClientEvent) => {
    if (event.type === 'request') tried.attempts += 1
    if (event.type === 'retry') tried.failures += 1
    onEvent?.(event)
  }
  for (;;) {
    let result: CallResult | undefined
    try {
      result = await tools.caller.callOrThrow({
        ...endpoints.upload,
        repeatable: 'unless-stored',
        tried: { ...tried },
        body: attempts.body,
        signal,
        onEvent: count,
      })
      const upload = readUpload(result)
      tools.serviceClock.stored(upload, attempts.sentAt())
      tools.registry.answered(upload, { size: attempts.size() ?? upload.size, mimeType: source.mimeType })
      return upload
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError)) throw error
      const upload = await resolveUncertain(error, attempts, options, tools, result && !isGarbled(result.answer))
      if (upload !== undefined) return upload
      if (tried.failures >= tools.retries || !source.replayable || isLasting(error)) throw notStored(error, source)
      const retry = retryOf(error, tried.attempts)
      tools.report(retry)
      count(retry)
    }
  }
}

function readUpload({ answer, context }: CallResult): Upload {
  try {
    return parseAnswer(answer, parseUploadEnvelope, context)
  } catch (error) {
    // A page of a website says nothing of a file; any other success may say that it is stored.
    const isPage = answer.status !== 201 && !isJsonAnswer(answer) && answer.text.trim() !== ''
    if (isPage) throw error
    const reason = isGarbled(answer) ? 'the answer cannot be read' : 'the answer is not one of the service'
    throw unknownOutcome(reason, context, { status: answer.status, cause: error })
  }
}

/**
 * @param isForeign whether it was answered, and not as the service answers: then it is not sent again either way
 * @returns undefined where the list proves that it was not stored
 */
async function resolveUncertain(
  unknown: UnknownOutcomeError,
  attempts: UploadAttempts,
  { signal, knownSlugs = [] }: UploadOptions,
  { reconcile }: UploadTools,
  isForeign: boolean | undefined,
): Promise<Upload | undefined> {
  const uncertain = attempts.markUncertain()
  const { intent } = uncertain
  const asked = { ...intent, knownSlugs: [...knownSlugs, ...intent.knownSlugs] }
  const [outcome] = await reconcile([{ ...uncertain, intent: asked }], {
    self: attempts.uncertain,
    ...(signal && { signal }),
  }).catch((error) => {
    // Of another shape or not, a 201 says that something was stored.
    if (isForeign && unknown.status !== 201 && isForeignToo(error)) throw notTheServiceOutcome(unknown)
    throw error instanceof FileHostError ? unreadableOutcome(unknown, intent, error) : error
  })
  if (outcome?.type === 'ambiguous') throw ambiguousOutcome(unknown, intent, outcome.candidates)
  if (outcome?.type === 'stored') return outcome.upload
  if (isForeign) throw notTheServiceOutcome(unknown)
  return undefined
}

/** Whether the list was answered with a success, and that was no list either. */
function isForeignToo(error: unknown): boolean {
  return error instanceof UnexpectedResponseError && isSuccess({ status: error.status ?? 0 })
}

/** Whether the attempt failed in a way in which the next one would fail too. */
function isLasting({ cause: failed }: UnknownOutcomeError): boolean {
  return failed instanceof FileHostError && failed.cause instanceof TransportError && failed.cause.permanent
}

function retryOf({ request, cause }: UnknownOutcomeError, attempt: number): ClientEvent {
  const why = cause instanceof Error ? cause.message : 'no answer came'
  const { method, path } = request ?? endpoints.upload
  return {
    type: 'retry',
    request: { method, path },
    attempt,
    delayMs: 0,
    reason: `not stored, as the list shows: ${why}`,
  }
}
