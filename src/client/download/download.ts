import type { Upload } from '../../protocol/resources.ts'
import { orAborted } from '../../system/signals.ts'
import { connectionError, errorByStatus } from '../call-errors.ts'
import { DownloadError, UnexpectedResponseError } from '../errors.ts'
import {
  announcedSize,
  askedWaitMs,
  callSite,
  discard,
  type FileRequestOptions,
  foreignBytes,
  foreignEncoding,
  otherWay,
  plainUrl,
  requestFile,
} from '../site/file-request.ts'
import { TransportError, type TransportResponse } from '../transports/transport.ts'

/** How much of a file is here already, and which version of it: an entity tag or a date, as the site named it. */
export interface ResumePoint {
  readonly bytes: number
  readonly validator?: string | undefined
}

/** Where a download goes: a file, which may exist in part, or a stream. */
export interface DownloadTarget {
  /** What errors call it. */
  readonly name: string
  /** How much is here already; called before every attempt. */
  resume(): ResumePoint
  /** Called before the bytes of an answer: they continue the target, or begin at 0 if the file has changed. */
  begin(start: DownloadStart): Promise<void>
  write(chunk: Uint8Array): Promise<void>
}

/** With the size in bytes, as stated by the service. */
type SiteOptions = FileRequestOptions & { readonly size: number }

/**
 * Streams a raw file from the site and resumes when the connection breaks. This is no API request: it sends no key and
 * costs no units.
 *
 * @throws NotFoundError, AccessDeniedError, RateLimitError, UnavailableError, UnexpectedResponseError by the answer;
 * ConnectionError and TimeoutError without one; DownloadError for another size; every error of the target
 */
export async function download(url: string, target: DownloadTarget, options: SiteOptions): Promise<void> {
  const stoppable = untilAborted(target, options.signal)
  let furthest = 0
  await callSite<void>({
    ...options,
    url,
    async send(number) {
      const answer = await answerOf(url, number, target.resume(), options)
      if (answer.status === 200 || answer.status === 206) {
        return { answer, value: await take(url, answer, stoppable, options) }
      }
      const askedMs = askedWaitMs(answer, options.clock)
      return { answer, error: await fileError(url, answer, askedMs || undefined) }
    },
    unanswered(cause) {
      const path = plainUrl(url)
      const request = { method: 'GET', path }
      return { error: connectionError(cause, { request, url: path, server: new URL(url).origin }) }
    },
    hasProgressed() {
      const { bytes } = target.resume()
      const isFurther = bytes > furthest
      furthest = Math.max(furthest, bytes)
      return isFurther
    },
  })
}

/** The same target, but an abort does not wait for a slow disk or reader. */
function untilAborted(target: DownloadTarget, signal: AbortSignal | undefined): DownloadTarget {
  if (signal === undefined) return target
  return {
    ...target,
    begin: (start) => orAborted(target.begin(start), signal),
    write: (chunk) => orAborted(target.write(chunk), signal),
  }
}

/** Reads the answer to the end of the file. */
async function take(url: string, answer: TransportResponse, target: DownloadTarget, options: SiteOptions) {
  const { size } = options
  let bytes = await begin(url, answer, target, options)
  for await (const chunk of answer.body) {
    bytes += chunk.length
    if (bytes > size) throw wrongSize(target, size, bytes, answer)
    await target.write(chunk)
  }
  if (bytes < size) {
    if (!mayBeCut(answer)) throw wrongSize(target, size, bytes, answer)
    throw new TransportError('interrupted', `the connection was closed after ${bytes} of ${size} bytes`)
  }
}

/**
 * Whether the end of a short answer may be that of its connection: it is shorter than it says, or is the last one. Of the
 * last one `fetch` takes a reset for the end, also where it is chunked.
 */
function mayBeCut(answer: TransportResponse): boolean {
  const isLast = /\bclose\b/i.test(answer.headers['connection'] ?? '')
  return isLast || answer.status === 206 || announcedSize(answer) !== undefined
}

/** Asks for the rest of the file, or for all of it if the file has changed on the site. */
async function answerOf(url: string, number: number, point: ResumePoint, options: SiteOptions) {
  const { bytes, validator } = point
  // The rest of a file, if it has not changed; all of it where nothing is here.
  const rest = bytes > 0 && validator ? { range: `bytes=${bytes}-`, 'if-range': validator } : {}
  const response = await requestFile(url, rest, number, options)
  const isPart = response.status === 206 && bytes > 0
  const changed = isPart && (!isSameFile(response, point) || foreignEncoding(response) !== undefined)
  if (response.status !== 416 && !changed) return response
  await discard(response)
  return await requestFile(url, {}, number, options)
}

/** The error of an answer without the file. */
async function fileError(url: string, response: TransportResponse, retryAfterMs: number | undefined) {
  const { status } = response
  await discard(response)
  const message = `GET ${plainUrl(url)} answered ${status}${status === 404 || status === 410 ? ': the file is not there' : ''}`
  const hint = status === 401 || status === 403 ? 'Its site refuses it to everyone; its page may say why' : undefined
  const details = { request: { method: 'GET', path: plainUrl(url) }, status, retryAfterMs, hint }
  // No file of the user was sent, so the answer cannot have judged one.
  if (status === 413 || status === 422) return new UnexpectedResponseError(message, details)
  // No key was sent: a 401 refuses the file to everyone.
  return errorByStatus(status === 401 ? 403 : status, message, details) ?? new UnexpectedResponseError(message, details)
}

/** @returns the place of the answer's first byte */
async function begin(url: string, response: TransportResponse, target: DownloadTarget, { size }: SiteOptions) {
  try {
    const start = readStart(url, response, target.resume())
    if (start.total !== undefined && start.total !== size) throw wrongSize(target, size, start.total, response)
    await target.begin(start)
    return start.offset
  } catch (error) {
    await discard(response)
    throw error
  }
}

/** The upload's `direct_url`. @throws DownloadError of code `no-file-address` if it is not an http(s) URL */
export function fileAddress({ direct_url: url, slug }: Upload): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  const message = `The service gave no valid address for the file of ${slug}: ${JSON.stringify(url)}`
  throw new DownloadError('no-file-address', message)
}

/** No cleanup is needed: the next download finds that the part does not match, and starts again at 0. */
function wrongSize({ name }: DownloadTarget, expected: number, actual: number, { headers }: TransportResponse) {
  const isPage = /^text\/html\b/i.test(headers['content-type'] ?? '')
  const message = `${name}: the service announced ${expected} bytes, but sent ${isPage ? 'a web page of ' : ''}${actual}`
  const hint = isPage
    ? 'The network may ask you to sign in first: open any page in a browser, then try again'
    : 'The download is not the expected file; try again later'
  return new DownloadError('size-mismatch', message, { hint })
}

/** Where the bytes of an answer begin in the file. */
export type DownloadStart = ReturnType<typeof readStart>

/** Whether an answer names the same version of the file as the part that is here. */
function isSameFile({ headers }: TransportResponse, { validator }: ResumePoint): boolean {
  const named = validator?.startsWith('"') ? headers['etag'] : headers['last-modified']
  return named !== undefined && named === validator
}

/**
 * @returns `validator` names this version of the file, undefined if the site names none, so that nothing can be resumed;
 * `total` is the whole file's size in bytes, if the site tells it
 * @throws UnexpectedResponseError if the answer has other bytes than were asked for
 */
export function readStart(url: string, response: TransportResponse, point: ResumePoint) {
  const { status, headers } = response
  const encoding = foreignEncoding(response)
  if (encoding !== undefined) {
    throw new UnexpectedResponseError(foreignBytes(plainUrl(url), encoding), { hint: otherWay })
  }
  if (status === 200) return { offset: 0, validator: validatorOf(headers), total: announcedSize(response) }
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? []
  if (Number(from) !== point.bytes || point.bytes === 0) {
    throw new UnexpectedResponseError(`GET ${plainUrl(url)} answered with another part of the file than was asked for`)
  }
  return {
    offset: point.bytes,
    validator: point.validator,
    total: total === undefined || total === '*' ? undefined : Number(total),
  }
}

/**
 * Parts can be joined by a strong tag. A weak tag promises nothing about single bytes, and then neither does the date; nor
 * does a date of the second in which the answer was made (RFC 9110, 8.8.2.2 and 13.1.5).
 */
function validatorOf({ etag, date, 'last-modified': modified }: Readonly<Record<string, string>>): string | undefined {
  if (etag !== undefined) return etag.startsWith('"') ? etag : undefined
  const isOld = Date.parse(date ?? '') - Date.parse(modified ?? '') >= 1_000
  return isOld ? modified : undefined
}
