import { invalidValue } from '../../checks/coded-error.ts'
import { checkOptions } from '../../checks/options.ts'
import { type Clock, steadyMs } from '../../clock.ts'
import { isFromCache } from '../../pacing/rate-headers.ts'
import { endpoints, uploadField } from '../../protocol/endpoints.ts'
import { parseUploadEnvelope, type Upload } from '../../protocol/resources.ts'
import { observer } from '../../system/observer.ts'
import { abortable, shareSignal } from '../../system/signals.ts'
import type { Bandwidth } from '../bandwidth.ts'
import { type AttemptBody, type Caller, type CallResult, parsed } from '../call.ts'
import { addressesOf, fromCache, likelyUploads, unknownAfter } from '../call-errors.ts'
import { FileHostError, SourceError, UnknownOutcomeError } from '../errors.ts'
import type { AccountUploads } from '../exactly-once/account-uploads.ts'
import type { UncertainUpload, UploadIntent } from '../exactly-once/candidates.ts'
import { SentFingerprint, type TellApart } from '../exactly-once/compare-bytes.ts'
import type { ListSearch } from '../exactly-once/reconcile.ts'
import type { Moment, ServiceClock } from '../exactly-once/service-clock.ts'
import { isGarbledSuccess } from '../exchange.ts'
import { type Progress, type UploadOptions, type UploadState, uploadOptions } from '../options.ts'
import type { RemoteFile } from '../sources/remote-file.ts'
import { type PreparedSource, prepareSource, type UploadSource } from '../sources/upload-source.ts'

export interface UploadTools {
  readonly call: Caller
  /** Monotonic where the client's clock offers it. */
  readonly clock: Clock
  readonly serviceClock: ServiceClock
  readonly account: AccountUploads
  readonly search: ListSearch
  readonly compareBytes: (signal: AbortSignal | undefined) => TellApart
  readonly bandwidth: Bandwidth | undefined
  /** Asks for a file at an http or https URL. */
  readonly openUrl: (url: string, options: UploadOptions) => Promise<RemoteFile>
}

/**
 * `client.upload`: opens the source and refuses what the service would refuse; sends it, again where it certainly was not
 * stored; reads the answer; and where no answer tells what became of it, looks in the list.
 */
export async function uploadFile(
  tools: UploadTools,
  given: UploadSource,
  options: UploadOptions = {},
): Promise<Upload> {
  checkOptions('client.upload', options, uploadOptions)
  const { signal, maxFileSizeBytes, anyType, onEvent } = options
  shareSignal(signal)
  const openUrl = (url: string) => tools.openUrl(url, options)
  const source = await prepareSource(given, { maxFileSizeBytes, anyType, signal, openUrl })
  const sent = new SentUpload(source, tools, options)
  try {
    return await tools.call({
      ...endpoints.upload,
      body: () => sent.nextBody(),
      signal,
      onEvent,
      onWaiting: () => sent.becomes('waiting'),
      read(result) {
        const stored = readUpload(result)
        sent.answered(stored)
        return stored
      },
      async onUnknown(unknown, isFinal) {
        const how = { ...options, tellApart: options.tellApart ?? tools.compareBytes(signal) }
        const stored = await findInList(unknown, sent, tools.search, how)
        if (stored !== undefined) return stored
        // Another attempt would be answered alike.
        if (isFinal) throw unknown.cause
        if (source.again === 'never') throw spentOutcome(unknown, source.name)
        return undefined
      },
    })
  } finally {
    sent.awaitsAnswer(false)
    source.close()
  }
}

/** @throws UnknownOutcomeError for a success that cannot be read, or that a cache had kept */
function readUpload(result: CallResult): Upload {
  const { answer, context, refusal, bodyFinished } = result
  if (refusal !== undefined) throw refusal
  try {
    const upload = parsed(parseUploadEnvelope)(result)
    // A cache may have kept the answer to another upload. A Date alone, of a clock that was set, proves nothing of the kind.
    if (isFromCache(answer.headers)) throw fromCache(answer, context)
    return upload
  } catch (error) {
    // The service never stores a part of a file. A whole one may be stored, whatever comes back.
    if (!bodyFinished) throw error
    const what = isGarbledSuccess(answer) ? 'cannot be read' : 'is not one of the service'
    throw unknownAfter(`An answer that ${what} came`, context, { status: answer.status, cause: error })
  }
}

/**
 * Looks in the list for an upload that may have been stored.
 *
 * @returns undefined if it was not stored and can be sent again. @throws UnknownOutcomeError if the list does not tell
 */
async function findInList(
  unknown: UnknownOutcomeError,
  sent: SentUpload,
  search: ListSearch,
  { tellApart, knownSlugs = [], signal }: UploadOptions & { readonly tellApart: TellApart },
): Promise<Upload | undefined> {
  const uncertain = sent.markUncertain()
  const { intent } = uncertain
  const wanted = { ...uncertain, intent: { ...intent, knownSlugs: [...knownSlugs, ...intent.knownSlugs] } }
  const how = { tellApart, fingerprintOf: () => sent.fingerprint.read, ...(signal && { signal }) }
  const { request, status, serviceMessage, cause, hint } = unknown
  const details = { request, status, serviceMessage, cause, hint, intent }
  const [outcome] = await search.find([wanted], how).catch((error) => {
    if (!(error instanceof FileHostError)) throw error
    const message = `${unknown.message}: it may have been stored. The list, which would tell, cannot be read: ${error.message}`
    throw new UnknownOutcomeError(message, { ...details, cause: error, hint: error.hint ?? hint })
  })
  if (outcome?.type === 'ambiguous') {
    const { candidates } = outcome
    const compare = `Compare it with ${addressesOf(candidates)}; upload it again only if it is not there`
    const message = `${unknown.message}. ${likelyUploads(candidates)}`
    throw new UnknownOutcomeError(message, { ...details, candidates, hint: compare })
  }
  return outcome?.type === 'stored' ? outcome.upload : undefined
}

/** The list proves that the upload was not stored, but its source cannot be sent again. */
function spentOutcome({ request, cause }: UnknownOutcomeError, name: string): SourceError {
  return new SourceError('spent', `${name} was not stored, and it is a stream that can only be sent once`, {
    request,
    hint: 'Give a path, a Blob or a Buffer to have it sent again after a failure',
    cause,
  })
}

/** What was known at the start of the first attempt that may have been stored. */
interface Start {
  readonly moment: Moment
  readonly monotonic: number | undefined
  readonly knownSlugs: readonly string[]
  readonly mark: number
}

/** The attempts of one upload, and whether the service may have stored one of them. */
class SentUpload {
  readonly fingerprint: SentFingerprint
  readonly #source: PreparedSource
  readonly #tools: UploadTools
  readonly #options: UploadOptions
  readonly #onState: (state: UploadState) => void
  readonly #onBytes: (bytes: Uint8Array) => void
  readonly #onProgress: (progress: Progress) => void
  #start: Start | undefined
  #end: Moment | undefined
  #isUncertain = false
  #sent = 0
  #body: AttemptBody | undefined

  constructor(source: PreparedSource, tools: UploadTools, options: UploadOptions) {
    this.#source = source
    this.#tools = tools
    this.#options = options
    this.fingerprint = new SentFingerprint(source)
    this.#onState = observer('onState of client.upload', options.onState)
    this.#onBytes = observer('onBytes of client.upload', options.onBytes)
    this.#onProgress = observer('onProgress of client.upload', options.onProgress)
  }

  becomes(state: UploadState): void {
    this.awaitsAnswer(state === 'sent')
    this.#onState(state)
  }

  awaitsAnswer(isSent: boolean): void {
    this.#tools.account.awaits(this, this.#source.mimeType, isSent)
  }

  takes(bytes: Uint8Array): void {
    this.fingerprint.sent(bytes)
    this.#onBytes(bytes)
  }

  moves(sent: number): void {
    this.#sent = sent
    this.#onProgress({ sent, total: this.#source.size })
  }

  async nextBody(): Promise<AttemptBody> {
    this.#body = await createUploadBody(this.#source, this, this.#tools.bandwidth, this.#options.signal)
    return this.#body
  }

  /**
   * Called before the first byte of an attempt; an error that it throws ends the attempt. If no earlier one is marked as
   * uncertain, none was stored, and the intent begins with this one.
   */
  async begins(): Promise<void> {
    this.fingerprint.restart()
    if (!this.#isUncertain || this.#start === undefined) this.#start = this.#startNow()
    this.#end = undefined
    await this.#options.onIntent?.(this.#intent(this.#start))
  }

  #startNow(): Start {
    const { clock, serviceClock, account } = this.#tools
    const monotonic = clock.monotonic && steadyMs(clock)
    return { moment: serviceClock.moment(), monotonic, knownSlugs: account.recent(), mark: account.mark() }
  }

  #intent({ moment, monotonic, knownSlugs }: Start): UploadIntent {
    const begun = this.#tools.serviceClock.when(moment)
    const isTold = Number.isFinite(begun.from) && Number.isFinite(begun.to)
    return {
      size: this.#size() ?? null,
      mimeType: this.#source.mimeType,
      startedAt: moment.at,
      endedAt: this.#end?.at ?? null,
      ...(monotonic !== undefined && { monotonic }),
      ...(isTold && { serviceStartedAt: begun }),
      knownSlugs,
    }
  }

  #size(): number | undefined {
    return this.#source.size ?? (this.#body?.finished() ? this.#sent : undefined)
  }

  /** Learns from the answer to the last attempt how the service stores files, and that this one is stored. */
  answered(upload: Upload): void {
    this.#tools.account.answered(upload, { size: this.#size() ?? upload.size, mimeType: this.#source.mimeType })
  }

  /** Notes that the attempt which has just ended may have been stored: from now on the intent begins with it. */
  markUncertain(): UncertainUpload {
    const { serviceClock, account } = this.#tools
    this.#isUncertain = true
    this.awaitsAnswer(false)
    const start = this.#start ?? this.#startNow()
    const end = serviceClock.moment()
    this.#start = start
    this.#end = end
    return {
      intent: this.#intent(start),
      made: () => ({ from: serviceClock.when(start.moment).from, to: serviceClock.when(end).to }),
      wasSeenBefore: (slug) => account.wasSeenBefore(slug, start.mark),
    }
  }
}

/** Ends the headers of a part, which have none: names are escaped. */
const emptyLine = '\r\n\r\n'

/**
 * Puts a source into the form of spec 4.1. The file streams between the bytes before and after it, so that memory holds
 * no more than a chunk and every read error surfaces.
 *
 * @throws SourceError for a stream that has been read
 */
async function createUploadBody(
  source: PreparedSource,
  upload: SentUpload,
  bandwidth: Bandwidth | undefined,
  signal: AbortSignal | undefined,
): Promise<AttemptBody> {
  const { head, tail, contentType } = await frame(source)
  const { name, size } = source
  const whole = source.read()
  const content = abortable(bandwidth ? bandwidth(whole, signal) : whole, signal)
  let [begun, finished, released] = [false, false, false]
  let failure: unknown
  async function* counted() {
    let sent = 0
    upload.moves(sent)
    for await (const chunk of content) {
      sent += chunk.length
      if (size !== undefined && sent > size) throw notAsAnnounced(name, size, 'more')
      upload.takes(chunk)
      // So that its caller can keep these bytes back.
      signal?.throwIfAborted()
      yield chunk
      upload.moves(sent)
    }
    if (size !== undefined && sent < size) throw notAsAnnounced(name, size, `only ${sent.toLocaleString('en')}`)
  }
  async function* chunks() {
    try {
      if (released) throw overError()
      // The rest of a file must not pass for the whole.
      if (begun) throw invalidValue('The body of an attempt can be sent only once')
      begun = true
      await upload.begins()
      // The attempt may have ended meanwhile.
      if (released) throw overError()
      upload.becomes('sending')
      yield head
      yield* counted()
      // The first part of a file must not pass for the whole.
      if (released) throw overError()
      // Set before the last bytes leave: from here on a broken connection leaves the outcome unknown.
      finished = true
      upload.becomes('sent')
    } catch (error) {
      failure = error
      throw error
    }
    yield tail
  }
  return {
    contentType,
    ...(size === undefined ? {} : { length: head.length + size + tail.length }),
    chunks,
    finished: () => finished,
    failure: () => failure,
    release() {
      released = true
      content.return(undefined).catch(() => {})
    },
  }
}

function notAsAnnounced(name: string, size: number, given: string): SourceError {
  return new SourceError('changed', `${name} gave ${given}, not the ${size.toLocaleString('en')} bytes announced`, {
    hint: 'Nothing was stored; leave the size out where it is not known',
  })
}

function overError(): Error {
  return invalidValue('The attempt is over: its body is not sent any more')
}

/** The bytes of a form before and after its one file, as form-data writes them around an empty one (RFC 7578). */
async function frame({ name, mimeType }: PreparedSource) {
  // With what it imports it is larger than all of the client, of which most commands upload nothing.
  const { default: Form } = await import('form-data')
  const form = new Form()
  form.append(uploadField, Buffer.alloc(0), { filename: name, contentType: mimeType })
  const written = form.getBuffer()
  const headLength = written.indexOf(emptyLine) + emptyLine.length
  return {
    head: written.subarray(0, headLength),
    tail: written.subarray(headLength),
    contentType: `multipart/form-data; boundary=${form.getBoundary()}`,
  }
}
