import { observer } from '../../checks/observer.ts'
import { checkOptions } from '../../checks/options.ts'
import type { Clock } from '../../clock.ts'
import { endpoints } from '../../protocol/endpoints.ts'
import { parseUploadEnvelope, type Upload } from '../../protocol/resources.ts'
import { shareSignal } from '../../system/signals.ts'
import { unknownOutcome } from '../attempt-errors.ts'
import type { Caller, CallResult } from '../caller.ts'
import { FileHostError, UnknownOutcomeError } from '../errors.ts'
import type { UploadRegistry, UploadsAlike } from '../exactly-once/account-uploads.ts'
import { createSourcePrinter } from '../exactly-once/file-print.ts'
import type { CompareBytes } from '../exactly-once/lookalikes.ts'
import type { Reconcile } from '../exactly-once/reconcile.ts'
import type { ServiceClock } from '../exactly-once/service-clock.ts'
import { findInList } from '../exactly-once/unknown-outcome.ts'
import { trackAttempts } from '../exactly-once/upload-attempts.ts'
import { isGarbled } from '../exchange.ts'
import { uploadOptions, uploadWords } from '../option-checks.ts'
import type { Client, UploadOptions } from '../options.ts'
import { notTheService, parseAnswer } from '../response.ts'
import type { Bandwidth } from '../sources/bandwidth.ts'
import type { RemoteFile } from '../sources/remote-file.ts'
import { type PreparedSource, prepareSource } from '../sources/upload-source.ts'

interface UploadCallTools {
  readonly caller: Caller
  /** Monotonic where the client's clock offers it. */
  readonly clock: Clock
  readonly serviceClock: ServiceClock
  readonly reconcile: Reconcile
  readonly compareBytes: CompareBytes
  readonly registry: UploadRegistry
  readonly alike: UploadsAlike
  readonly bandwidth: Bandwidth | undefined
  /** Asks for a file at an http or https URL. */
  readonly openUrl: (url: string, options: UploadOptions) => Promise<RemoteFile>
}

/** Sends an upload until an answer or the list shows its outcome. */
export function createUploadCall(tools: UploadCallTools): Client['upload'] {
  const { caller, clock, serviceClock, reconcile, compareBytes, registry, alike, bandwidth } = tools

  /** The registry keeps the upload while it is sent, and after that if its outcome stays unknown. */
  async function send(source: PreparedSource, options: UploadOptions, othersEnded: () => Promise<boolean>) {
    const { signal, onEvent, onIntent } = options
    const printer = createSourcePrinter(source)
    const onState = observer('onState of client.upload', options.onState)
    const attempts = trackAttempts(source, {
      clock,
      serviceClock,
      registry,
      bandwidth,
      onIntent,
      onProgress: observer('onProgress of client.upload', options.onProgress),
      onBytes: observer('onBytes of client.upload', options.onBytes),
      onState,
      printer,
      signal,
    })
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
          const stored = readUpload(result, attempts.isAnother)
          attempts.answered(stored)
          return stored
        },
        onUnknown: (unknown, isFinal) =>
          findInList(unknown, { source, attempts, reconcile, tellApart, printOf, options, isFinal, othersEnded }),
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

  return async (given, options = {}) => {
    checkOptions('client.upload', options, uploadOptions, uploadWords)
    const { signal, maxFileSizeBytes, anyType } = options
    shareSignal(signal)
    const openUrl = (url: string) => tools.openUrl(url, options)
    const source = await prepareSource(given, { maxFileSizeBytes, anyType, signal, openUrl })
    // What has no size yet may look like anything: nothing that is under way explains it.
    const underWay = source.size === undefined ? undefined : alike.begin(`${source.mimeType} ${source.size}`)
    try {
      return await send(source, options, async () => (await underWay?.othersEnded(signal)) ?? false)
    } finally {
      underWay?.end()
      source.close()
    }
  }
}

function readUpload(
  { answer, context, refusal, bodyFinished, tried }: CallResult,
  isAnother: (upload: Upload) => boolean,
): Upload {
  if (refusal !== undefined) throw refusal
  try {
    const upload = parseAnswer(answer, parseUploadEnvelope, context)
    if (isAnother(upload)) throw notTheService(answer, context)
    return upload
  } catch (error) {
    // The service never stores a part of a file. A whole one may be stored, whatever comes back.
    if (!bodyFinished) throw error
    const what = isGarbled(answer) ? 'cannot be read' : 'is not one of the service'
    throw unknownOutcome(`An answer that ${what} came`, context, { status: answer.status, tried, cause: error })
  }
}
