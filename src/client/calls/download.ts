import { observer } from '../../checks/observer.ts'
import { orAborted } from '../../system/abortable.ts'
import { connectionError } from '../attempt-errors.ts'
import { type AttemptEnd, defaultRetries } from '../retry.ts'
import { repeatCall } from '../retry-loop.ts'
import { TransportError, type TransportResponse } from '../transports/transport.ts'
import { checkDownload, type DownloadOptions, type DownloadTarget } from './download-options.ts'
import { isSameFile, readStart } from './download-start.ts'
import { discard, fileError, plainUrl, type ResumePoint, requestFile } from './file-request.ts'
import { type AskedWait, answeredBySite, askedWait, createSitePatience, unansweredBySite } from './site-patience.ts'

/**
 * Streams a raw file from the site and resumes when the connection breaks. This is no API request: it sends no key and
 * costs no units.
 *
 * @throws NotFoundError, AccessDeniedError, RateLimitError, UnavailableError, UnexpectedResponseError by the answer;
 * ConnectionError and TimeoutError without one; every error of the target
 */
export async function download(url: string, target: DownloadTarget, options: DownloadOptions): Promise<void> {
  checkDownload(url, target, options)
  const { retries = defaultRetries, maxWaitMs, clock, signal } = options
  const onEvent = observer('onEvent of download', options.onEvent)
  const stoppable = untilAborted(target, signal)
  const patience = createSitePatience(maxWaitMs)
  let furthest = 0

  async function send(number: number) {
    const failed = await attempt(url, number, stoppable, { ...options, onEvent })
    if (failed === undefined) return { end: answeredBySite(200), reason: '', error: undefined }
    const { end, error } = failed
    const { bytes } = target.resume()
    const hasProgressed = bytes > furthest
    if (hasProgressed) patience.progressed()
    furthest = Math.max(furthest, bytes)
    return { end, reason: error.message, error, holdMs: patience.holdMs(failed.asked), hasProgressed }
  }

  await repeatCall({
    request: { method: 'GET', path: plainUrl(url) },
    policy: { repeatable: 'always', retries },
    clock,
    signal,
    report: onEvent,
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
  readonly asked: AskedWait
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
  const asked = askedWait(response, clock)
  return {
    end: answeredBySite(response.status),
    error: await fileError(url, response, asked(1) || undefined),
    asked,
  }
}

function noAnswer(url: string, cause: TransportError): FailedAttempt {
  const path = plainUrl(url)
  const error = connectionError(cause, { request: { method: 'GET', path }, url: path, server: new URL(url).origin })
  return { end: unansweredBySite(cause), error, asked: () => 0 }
}
