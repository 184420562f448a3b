import type { Clock } from '../../clock.ts'
import { endpoints } from '../../protocol/endpoints.ts'
import { parseUploadEnvelope, type Upload } from '../../protocol/resources.ts'
import { isGarbled, isJsonAnswer, isSuccess } from '../answer.ts'
import { unknownOutcome } from '../attempt-errors.ts'
import type { Exchange, Exchanged } from '../caller.ts'
import { FileHostError, UnexpectedResponseError, UnknownOutcomeError } from '../errors.ts'
import type { ClientEvent } from '../events.ts'
import { createLookalikeGate } from '../exactly-once/keyed-mutex.ts'
import type { ServiceClock } from '../exactly-once/service-clock.ts'
import type { Settle } from '../exactly-once/settle.ts'
import {
  ambiguousOutcome,
  notStored,
  notTheServiceOutcome,
  unreadableOutcome,
} from '../exactly-once/unknown-outcome.ts'
import { followUpload, type UploadFlight } from '../exactly-once/upload-attempts.ts'
import type { UploadRegistry } from '../exactly-once/upload-registry.ts'
import type { Client, UploadOptions } from '../options.ts'
import { parseAnswer } from '../response.ts'
import { shareSignal } from '../shared-signal.ts'
import { type PreparedSource, prepareSource } from '../sources/upload-source.ts'
import { TransportError } from '../transports/transport.ts'

interface UploadTools {
  readonly exchange: Exchange
  /** A steady one where there is one. */
  readonly clock: Clock
  readonly serviceClock: ServiceClock
  readonly settle: Settle
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
  const gate = createLookalikeGate()
  return async (source, options = {}) => {
    const { signal, maxFileSizeBytes, anyType, onProgress, onIntent } = options
    shareSignal(signal)
    const prepared = await prepareSource(source, { maxFileSizeBytes, anyType, signal })
    let leave: (() => void) | undefined
    try {
      // form-data and its table of types are half of what this library would load: too much for a program that only lists.
      const { createUploadBody } = await import('../sources/upload-body.ts')
      signal?.throwIfAborted()
      const { mimeType, size } = prepared
      leave = size === undefined ? undefined : await gate.enter(`${mimeType} ${size}`, signal)
      const follow = { createBody: createUploadBody, clock, serviceClock, registry, onIntent, onProgress, signal }
      return await sendWatched(prepared, followUpload(prepared, follow), options, tools)
    } finally {
      leave?.()
      prepared.close()
    }
  }
}

/** Sends it, known to the registry as long as it is on its way, and beyond where nothing tells what became of it. */
async function sendWatched(
  source: PreparedSource,
  flight: UploadFlight,
  options: UploadOptions,
  tools: UploadTools,
): Promise<Upload> {
  const { registry } = tools
  const close = registry.open(flight.open)
  try {
    return await sendUntilKnown(source, flight, options, tools)
  } catch (error) {
    const proven = error instanceof FileHostError && !(error instanceof UnknownOutcomeError)
    if (!proven && flight.open() !== undefined) registry.leftOpen(flight.leaveOpen())
    throw error
  } finally {
    close()
  }
}

async function sendUntilKnown(
  source: PreparedSource,
  flight: UploadFlight,
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
    let exchanged: Exchanged | undefined
    try {
      exchanged = await tools.exchange.succeed({
        ...endpoints.upload,
        repeatable: 'unless-stored',
        tried: { ...tried },
        body: flight.body,
        signal,
        onEvent: count,
      })
      const upload = readUpload(exchanged)
      tools.serviceClock.stored(upload, flight.sentAt())
      tools.registry.answered(upload, { size: flight.size() ?? upload.size, mimeType: source.mimeType })
      return upload
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError)) throw error
      const upload = await settleOpen(error, flight, options, tools, exchanged && !isGarbled(exchanged.answer))
      if (upload !== undefined) return upload
      if (tried.failures >= tools.retries || !source.replayable || isLasting(error)) throw notStored(error, source)
      const retry = retryOf(error, tried.attempts)
      tools.report(retry)
      count(retry)
    }
  }
}

function readUpload({ answer, context }: Exchanged): Upload {
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
async function settleOpen(
  unknown: UnknownOutcomeError,
  flight: UploadFlight,
  { signal, knownSlugs = [] }: UploadOptions,
  { settle }: UploadTools,
  isForeign: boolean | undefined,
): Promise<Upload | undefined> {
  const question = flight.leaveOpen()
  const { intent } = question
  const asked = { ...intent, knownSlugs: [...knownSlugs, ...intent.knownSlugs] }
  const [settlement] = await settle([{ ...question, intent: asked }], {
    self: flight.open,
    ...(signal && { signal }),
  }).catch((error) => {
    // Of another shape or not, a 201 says that something was stored.
    if (isForeign && unknown.status !== 201 && isForeignToo(error)) throw notTheServiceOutcome(unknown)
    throw error instanceof FileHostError ? unreadableOutcome(unknown, intent, error) : error
  })
  if (settlement?.type === 'ambiguous') throw ambiguousOutcome(unknown, intent, settlement.candidates)
  if (settlement?.type === 'stored') return settlement.upload
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
