import { refusalWait, unavailableWaitMs } from '../../pacing/quota-model/refusals.ts'
import { parseRetryAfter } from '../../pacing/rate-headers.ts'
import { rateHeaders } from '../../protocol/rate-limits.ts'
import { orAborted } from '../../system/abortable.ts'
import { connectionError } from '../attempt-errors.ts'
import { type AttemptEnd, defaultRetries } from '../retry.ts'
import { repeatCall } from '../retry-loop.ts'
import { TransportError, type TransportResponse } from '../transports/transport.ts'
import { checkDownload, type DownloadOptions, type DownloadTarget } from './download-options.ts'
import { isSameFile, readStart } from './download-start.ts'
import { discard, fileError, plainUrl, type ResumePoint, requestFile } from './file-request.ts'

/**
 * Streams a raw file from the site and resumes when the connection breaks. This is no API request: it sends no key and
 * costs no units.
 *
 * @throws NotFoundError, AccessDeniedError, RateLimitError, UnavailableError, UnexpectedResponseError by the answer;
 * ConnectionError and TimeoutError without one; every error of the target
 */
export async function download(url: string, target: DownloadTarget, options: DownloadOptions): Promise<void> {
  checkDownload(url, target, options)
  const { retries = defaultRetries, maxWaitMs = Number.POSITIVE_INFINITY, clock, signal, onEvent } = options
  const stoppable = untilAborted(target, signal)
  let furthest = 0
  let [refusals, waitedMs] = [0, 0]

  async function send(number: number) {
    const failed = await attempt(url, number, stoppable, options)
    if (failed === undefined) return { end: endOf(200), reason: '', error: undefined }
    const { end, error } = failed
    const { bytes } = target.resume()
    const hasProgressed = bytes > furthest
    if (hasProgressed) [refusals, waitedMs] = [0, 0]
    furthest = Math.max(furthest, bytes)
    const askedMs = failed.holdMs(refusals + 1)
    if (askedMs > 0) refusals += 1
    waitedMs += askedMs
    const holdMs = waitedMs > maxWaitMs ? Number.POSITIVE_INFINITY : askedMs
    return { end, reason: error.message, error, holdMs, hasProgressed }
  }

  await repeatCall({
    request: { method: 'GET', path: plainUrl(url) },
    policy: { repeatable: 'always', retries },
    clock,
    signal,
    report: (event) => onEvent?.(event),
    send,
    async finish({ error }) {
      if (error !== undefined) throw error
      return { type: 'value', value: undefined }
    },
  })
}

/** The same target, but an abort does not wait for a slow disk or reader. */
function untilAborted(target: DownloadTarget, signal: AbortSignal | undefined): DownloadTarget {
  if (signal === undefined) return target
  return {
    resume: () => target.resume(),
    begin: (start) => orAborted(target.begin(start), signal),
    write: (chunk) => orAborted(target.write(chunk), signal),
  }
}

/** An attempt that did not bring the file. */
interface FailedAttempt {
  readonly end: AttemptEnd
  readonly error: Error
  /** How long the site asks to wait; 0 if it does not. @param refusals how many in a row this is, from 1 */
  readonly holdMs: (refusals: number) => number
}

async function attempt(
  url: string,
  number: number,
  target: DownloadTarget,
  options: DownloadOptions,
): Promise<FailedAttempt | undefined> {
  try {
    const response = await answerOf(url, number, target.resume(), options)
    if (response.status !== 200 && response.status !== 206) return await refusal(url, response, options)
    await begin(url, response, target)
    for await (const chunk of response.body) await target.write(chunk)
    return undefined
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    return noAnswer(url, error)
  }
}

/** Asks for the rest of the file, or for all of it if the file has changed on the site. */
async function answerOf(url: string, number: number, point: ResumePoint, options: DownloadOptions) {
  const response = await requestFile(url, point, number, options)
  const changed = response.status === 206 && point.bytes > 0 && !isSameFile(response, point)
  if (response.status !== 416 && !changed) return response
  await discard(response)
  return await requestFile(url, { bytes: 0 }, number, options)
}

async function begin(url: string, response: TransportResponse, target: DownloadTarget): Promise<void> {
  try {
    await target.begin(readStart(url, response, target.resume()))
  } catch (error) {
    await discard(response)
    throw error
  }
}

async function refusal(url: string, response: TransportResponse, { clock }: DownloadOptions): Promise<FailedAttempt> {
  const { status, headers } = response
  const askedMs = parseRetryAfter(headers[rateHeaders.retryAfter.toLowerCase()], headers['date'], clock.now())
  const holdMs = (refusals: number) => {
    if (status === 429) return refusalWait(askedMs, undefined, refusals).ms
    return status === 503 ? unavailableWaitMs(askedMs, refusals) : 0
  }
  return {
    end: endOf(status),
    error: await fileError(url, response, holdMs(1) || undefined),
    holdMs,
  }
}

function endOf(status: number): AttemptEnd {
  return { type: 'answered', status, bodyFinished: true, serviceBody: false }
}

function noAnswer(url: string, cause: TransportError): FailedAttempt {
  const { failure, permanent } = cause
  const path = plainUrl(url)
  const error = connectionError(cause, { request: { method: 'GET', path }, url: path, server: new URL(url).origin })
  return { end: { type: 'failed', failure, permanent, bodyFinished: true }, error, holdMs: () => 0 }
}
