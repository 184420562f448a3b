import { observer } from '../../checks/observer.ts'
import { checkOptions } from '../../checks/options.ts'
import type { Clock } from '../../clock.ts'
import { endpoints } from '../../protocol/endpoints.ts'
import { parseUploadEnvelope, type Upload } from '../../protocol/resources.ts'
import { shareSignal } from '../../system/signals.ts'
import { unknownOutcome } from '../attempt-errors.ts'
import type { Caller, CallResult } from '../caller.ts'
import { FileHostError, UnknownOutcomeError } from '../errors.ts'
import type { KeyedMutex, UploadRegistry } from '../exactly-once/account-uploads.ts'
import { createSourcePrinter, type SourcePrinter } from '../exactly-once/file-print.ts'
import type { Reconcile } from '../exactly-once/reconcile.ts'
import type { ServiceClock } from '../exactly-once/service-clock.ts'
import type { CompareBytes } from '../exactly-once/tell-apart.ts'
import { findInList, type Search } from '../exactly-once/unknown-outcome.ts'
import { trackAttempts } from '../exactly-once/upload-attempts.ts'
import { isGarbled } from '../exchange.ts'
import { uploadOptions, uploadWords } from '../option-checks.ts'
import type { Client, UploadOptions } from '../options.ts'
import { parseAnswer } from '../response.ts'
import type { Bandwidth } from '../sources/bandwidth.ts'
import type { RemoteFile } from '../sources/remote-file.ts'
import { mayKeepBytes } from '../sources/upload-body.ts'
import { prepareSource } from '../sources/upload-source.ts'

interface UploadCallTools {
  readonly caller: Caller
  /** Monotonic where the client's clock offers it. */
  readonly clock: Clock
  readonly serviceClock: ServiceClock
  readonly reconcile: Reconcile
  readonly compareBytes: CompareBytes
  readonly registry: UploadRegistry
  readonly mutex: KeyedMutex
  readonly bandwidth: Bandwidth | undefined
  /** Asks for a file at an http or https URL. */
  readonly openUrl: (url: string, options: UploadOptions) => Promise<RemoteFile>
}

/**
 * Sends an upload until an answer or the list shows its outcome. Uploads of the same size and type wait for each other,
 * because in the list they look alike.
 */
export function createUploadCall(tools: UploadCallTools): Client['upload'] {
  const { clock, serviceClock, registry, mutex, bandwidth } = tools
  return async (source, options = {}) => {
    checkOptions('client.upload', options, uploadOptions, uploadWords)
    const { signal, maxFileSizeBytes, anyType, onIntent } = options
    shareSignal(signal)
    const openUrl = (url: string) => tools.openUrl(url, options)
    const prepared = await prepareSource(source, { maxFileSizeBytes, anyType, signal, openUrl })
    let release: (() => void) | undefined
    try {
      const { mimeType, size } = prepared
      const waitForTurn = async () => {
        release = size === undefined ? undefined : await mutex.acquire(`${mimeType} ${size}`, signal)
      }
      await waitForTurn()
      const printer = createSourcePrinter(prepared)
      const attempts = trackAttempts(prepared, {
        clock,
        serviceClock,
        registry,
        bandwidth,
        onIntent,
        onProgress: observer('onProgress of client.upload', options.onProgress),
        onBytes: observer('onBytes of client.upload', options.onBytes),
        keepsBytes: mayKeepBytes(options),
        onState: observer('onState of client.upload', options.onState),
        printer,
        signal,
      })
      const giveWay = async () => {
        if (registry.treatmentOf(mimeType) !== undefined) return false
        release?.()
        await waitForTurn()
        return registry.treatmentOf(mimeType) === 'keeps'
      }
      return await sendTracked({ source: prepared, attempts, printer, giveWay }, options, tools)
    } finally {
      release?.()
      prepared.close()
    }
  }
}

interface TrackedSource extends Pick<Search, 'source' | 'attempts' | 'giveWay'> {
  readonly printer: SourcePrinter
}

/** The registry keeps the upload while it is sent, and after that if its outcome stays unknown. */
async function sendTracked(
  { source, attempts, printer, giveWay }: TrackedSource,
  options: UploadOptions,
  { caller, reconcile, compareBytes, registry }: UploadCallTools,
): Promise<Upload> {
  const { signal, onEvent } = options
  const onState = observer('onState of client.upload', options.onState)
  const tellApart = options.tellApart ?? compareBytes(signal)
  const printOf = () => printer.read
  const untrack = registry.track(attempts.uncertain)
  try {
    const upload = await caller.call({
      ...endpoints.upload,
      body: attempts.body,
      signal,
      onEvent,
      onWaiting: () => onState('waiting'),
      read(result) {
        const stored = readUpload(result)
        attempts.answered(stored)
        return stored
      },
      onUnknown: (unknown, isFinal) =>
        findInList(unknown, { source, attempts, reconcile, tellApart, printOf, options, isFinal, giveWay }),
    })
    untrack()
    return upload
  } catch (error) {
    const isKnown = error instanceof FileHostError && !(error instanceof UnknownOutcomeError)
    if (isKnown || attempts.uncertain() === undefined) untrack()
    else attempts.markUncertain()
    throw error
  }
}

function readUpload({ answer, context, refusal, bodyFinished, tried }: CallResult): Upload {
  if (refusal !== undefined) throw refusal
  try {
    return parseAnswer(answer, parseUploadEnvelope, context)
  } catch (error) {
    // The service never stores a part of a file. A whole one may be stored, whatever comes back.
    if (!bodyFinished) throw error
    const reason = isGarbled(answer) ? 'the answer cannot be read' : 'the answer is not one of the service'
    throw unknownOutcome(reason, context, { status: answer.status, tried, cause: error })
  }
}
