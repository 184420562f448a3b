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
import type { Tried } from '../retry.ts'
import { shareSignal } from '../shared-signal.ts'
import { type PreparedSource, prepareSource } from '../sources/upload-source.ts'
import { TransportError } from '../transports/transport.ts'

interface UploadTools {
  readonly caller: Caller
  /** Monotonic where the client's clock offers it. */
  readonly clock: Clock
  readonly serviceClock: ServiceClock
  readonly reconcile: Reconcile
  readonly registry: UploadRegistry
  /** The most failures of one call that are retried. */
  readonly retries: number
  readonly report: (event: ClientEvent) => void
}

/**
 * Sends an upload until an answer or the list tells its outcome. Uploads of the same size and type wait for each other,
 * because the list could not tell them apart.
 */
export function createUploadCall(tools: UploadTools): Client['upload'] {
  const { clock, serviceClock, registry } = tools
  const mutex = createKeyedMutex()
  return async (source, options = {}) => {
    const { signal, maxFileSizeBytes, anyType, onProgress, onIntent, onState } = options
    shareSignal(signal)
    const prepared = await prepareSource(source, { maxFileSizeBytes, anyType, signal })
    let release: (() => void) | undefined
    try {
      // form-data and its table of types take half of the library's load time: a program that only lists does without.
      const { createUploadBody } = await import('../sources/upload-body.ts')
      signal?.throwIfAborted()
      const { mimeType, size } = prepared
      release = size === undefined ? undefined : await mutex.acquire(`${mimeType} ${size}`, signal)
      const tracking = { createBody: createUploadBody, clock, serviceClock, registry, onIntent, onProgress, onState }
      return await sendTracked(prepared, trackAttempts(prepared, { ...tracking, signal }), options, tools)
    } finally {
      release?.()
      prepared.close()
    }
  }
}

/** Keeps the upload in the registry while it is sent, and after that if its outcome stays unknown. */
async function sendTracked(
  source: PreparedSource,
  attempts: UploadAttempts,
  options: UploadOptions,
  tools: UploadTools,
): Promise<Upload> {
  const { registry } = tools
  const untrack = registry.track(attempts.uncertain)
  try {
    return await sendUntilKnown(source, attempts, options, tools)
  } catch (error) {
    const isKnown = error instanceof FileHostError && !(error instanceof UnknownOutcomeError)
    if (!isKnown && attempts.uncertain() !== undefined) registry.addUncertain(attempts.markUncertain())
    throw error
  } finally {
    untrack()
  }
}

async function sendUntilKnown(
  source: PreparedSource,
  attempts: UploadAttempts,
  options: UploadOptions,
  tools: UploadTools,
): Promise<Upload> {
  const { signal, onEvent, onState } = options
  let tried: Tried = { attempts: 0, failures: 0 }
  for (;;) {
    let result: CallResult | undefined
    try {
      result = await tools.caller.callOrThrow({
        ...endpoints.upload,
        repeatable: 'unless-stored',
        tried,
        body: attempts.body,
        signal,
        onEvent,
        onWaiting: onState && (() => onState('waiting')),
      })
      const upload = readUpload(result)
      tools.serviceClock.stored(upload, attempts.sentAt())
      tools.registry.answered(upload, { size: attempts.size() ?? upload.size, mimeType: source.mimeType })
      return upload
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError)) throw error
      const upload = await findInList(error, attempts, options, tools, result && !isGarbled(result.answer))
      if (upload !== undefined) return upload
      if (!mayTryAgain(error, source, tools)) throw notStored(error, source)
      tried = { attempts: error.attempts, failures: error.failures + 1 }
      const retry = retryAfter(error)
      tools.report(retry)
      onEvent?.(retry)
    }
  }
}

function readUpload({ answer, context, tried }: CallResult): Upload {
  try {
    return parseAnswer(answer, parseUploadEnvelope, context)
  } catch (error) {
    // A website's page says nothing about a file; any other success may mean that the file is stored.
    const isPage = answer.status !== 201 && !isJsonAnswer(answer) && answer.text.trim() !== ''
    if (isPage) throw error
    const reason = isGarbled(answer) ? 'the answer cannot be read' : 'the answer is not one of the service'
    throw unknownOutcome(reason, context, { status: answer.status, tried, cause: error })
  }
}

/**
 * @param isForeign whether the answer was a success that the service does not write: then the file is not sent again
 * @returns undefined when the list proves that the upload was not stored
 */
async function findInList(
  unknown: UnknownOutcomeError,
  attempts: UploadAttempts,
  { signal, knownSlugs = [] }: UploadOptions,
  { reconcile }: UploadTools,
  isForeign: boolean | undefined,
): Promise<Upload | undefined> {
  const uncertain = attempts.markUncertain()
  const { intent } = uncertain
  const wanted = { ...uncertain, intent: { ...intent, knownSlugs: [...knownSlugs, ...intent.knownSlugs] } }
  const self = attempts.uncertain
  const [outcome] = await reconcile([wanted], { self, ...(signal && { signal }) }).catch((error) => {
    // A 201 of any shape means that something was stored.
    if (isForeign && unknown.status !== 201 && isForeignList(error)) throw notTheServiceOutcome(unknown)
    throw error instanceof FileHostError ? unreadableOutcome(unknown, intent, error) : error
  })
  if (outcome?.type === 'ambiguous') throw ambiguousOutcome(unknown, intent, outcome.candidates)
  if (outcome?.type === 'stored') return outcome.upload
  if (isForeign) throw notTheServiceOutcome(unknown)
  return undefined
}

/** Whether the list, too, was answered with a success that the service does not write. */
function isForeignList(error: unknown): boolean {
  return error instanceof UnexpectedResponseError && isSuccess({ status: error.status ?? 0 })
}

function mayTryAgain(error: UnknownOutcomeError, { replayable }: PreparedSource, { retries }: UploadTools): boolean {
  const { cause: failed } = error
  const isPermanent =
    failed instanceof FileHostError && failed.cause instanceof TransportError && failed.cause.permanent
  return replayable && error.failures < retries && !isPermanent
}

function retryAfter({ request, cause, attempts }: UnknownOutcomeError): ClientEvent {
  const why = cause instanceof Error ? cause.message : 'no answer came'
  const { method, path } = request ?? endpoints.upload
  const reason = `not stored, as the list shows: ${why}`
  return { type: 'retry', request: { method, path }, attempt: attempts, delayMs: 0, reason }
}
