import { parseRetryAfter, refusalWait, unavailableWaitMs } from '../../pacing/retry-after.ts'
import { rateHeaders } from '../../protocol/rate-limits.ts'
import { orAborted } from '../../system/abortable.ts'
import { ConnectionError, TimeoutError } from '../errors.ts'
import { type AttemptEnd, decideRetry } from '../retry.ts'
import { shareSignal } from '../shared-signal.ts'
import { TransportError, type TransportResponse } from '../transports/transport.ts'
import { type DownloadStart, isSameFile, readStart } from './download-start.ts'
import { discard, type FileRequestOptions, fileError, plainUrl, type ResumePoint, requestFile } from './file-request.ts'

/** Where a download goes: a file that may be there in part, or a stream. */
export interface DownloadTarget {
  /** What is here already; asked before every attempt. */
  resume(): ResumePoint
  /** Told once an answer is in, before its bytes: they begin where the target was, or at 0 where the file has changed. */
  begin(start: DownloadStart): Promise<void>
  write(chunk: Uint8Array): Promise<void>
}

export interface DownloadOptions extends FileRequestOptions {
  /** How often trouble is tried again without a byte of progress in between. Default: 5. */
  readonly retries?: number
  /** The longest wait a site may ask for. Default: unlimited. */
  readonly maxWaitMs?: number
}

/**
 * Streams a raw file from the site, resuming where the connection breaks. No API request: no key is sent, no unit spent.
 *
 * @throws NotFoundError, AccessDeniedError, RateLimitError, UnavailableError, UnexpectedResponseError by the answer;
 * ConnectionError and TimeoutError where there is none; whatever the target throws
 */
export async function download(url: string, target: DownloadTarget, options: DownloadOptions): Promise<void> {
  shareSignal(options.signal)
  const stoppable = untilAborted(target, options.signal)
  const policy = { repeatable: 'always', retries: options.retries ?? 5 } as const
  const { maxWaitMs = Number.POSITIVE_INFINITY } = options
  let tries = { failures: 0, refusals: 0, waitedMs: 0 }
  let furthest = 0
  for (let number = 1; ; number += 1) {
    const trouble = await attempt(url, number, stoppable, options)
    if (trouble === undefined) return
    const { bytes } = target.resume()
    if (bytes > furthest) tries = { failures: 0, refusals: 0, waitedMs: 0 }
    furthest = Math.max(furthest, bytes)
    const decision = decideRetry(trouble.end, tries.failures, policy, Math.random())
    const holdMs = trouble.holdMs(tries.refusals + 1)
    if (decision.type !== 'again' || tries.waitedMs + holdMs > maxWaitMs) throw trouble.error
    tries = {
      failures: tries.failures + (decision.cause === 'failure' ? 1 : 0),
      refusals: tries.refusals + (holdMs > 0 ? 1 : 0),
      waitedMs: tries.waitedMs + holdMs,
    }
    const request = { method: 'GET', path: plainUrl(url) }
    const delayMs = Math.max(decision.delayMs, holdMs)
    options.onEvent?.({ type: 'retry', request, attempt: number, delayMs, reason: trouble.error.message })
    await options.clock.sleep(delayMs, options.signal)
  }
}

/** The same target, but an abort ends the wait for it at once: a disk or a reader may take its time. */
function untilAborted(target: DownloadTarget, signal: AbortSignal | undefined): DownloadTarget {
  if (signal === undefined) return target
  return {
    resume: () => target.resume(),
    begin: (start) => orAborted(target.begin(start), signal),
    write: (chunk) => orAborted(target.write(chunk), signal),
  }
}

interface Trouble {
  readonly end: AttemptEnd
  readonly error: Error
  /** How long the site asks to stay away; 0 where it does not. @param refusals how many in a row this is, from 1 */
  readonly holdMs: (refusals: number) => number
}

async function attempt(
  url: string,
  number: number,
  target: DownloadTarget,
  options: DownloadOptions,
): Promise<Trouble | undefined> {
  try {
    const response = await answerOf(url, number, target.resume(), options)
    if (response.status !== 200 && response.status !== 206) return await refusal(url, response, options)
    await begin(url, response, target)
    for await (const chunk of response.body) await target.write(chunk)
    return undefined
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    return failure(url, error)
  }
}

/** The rest of the file, or all of it where the site has it no longer as it was. */
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

async function refusal(url: string, response: TransportResponse, { clock }: DownloadOptions): Promise<Trouble> {
  const { status, headers } = response
  const askedMs = parseRetryAfter(headers[rateHeaders.retryAfter.toLowerCase()], headers['date'], clock.now())
  const holdMs = (refusals: number) => {
    if (status === 429) return refusalWait(askedMs, undefined, refusals).ms
    return status === 503 ? unavailableWaitMs(askedMs, refusals) : 0
  }
  return {
    end: { type: 'answered', status, bodyFinished: true, serviceBody: false },
    error: await fileError(url, response, holdMs(1) || undefined),
    holdMs,
  }
}

function failure(url: string, cause: TransportError): Trouble {
  const { failure: kind, permanent, mayHaveArrived, message } = cause
  const details = { request: { method: 'GET', path: plainUrl(url) }, cause }
  const words = !mayHaveArrived ? `Cannot connect to ${new URL(url).origin}: ${message}` : undefined
  const error =
    kind === 'timeout'
      ? new TimeoutError(`GET ${plainUrl(url)}: ${message}`, details)
      : new ConnectionError(words ?? `GET ${plainUrl(url)}: the connection broke: ${message}`, details)
  return { end: { type: 'failed', failure: kind, permanent, bodyFinished: true }, error, holdMs: () => 0 }
}
