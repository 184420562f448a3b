import { invalidValue, kindOf } from '../../checks/coded-error.ts'
import { checkOptions, hasMethods } from '../../checks/options.ts'
import type { Upload } from '../../protocol/resources.ts'
import { observer } from '../../system/observer.ts'
import { orAborted, shareSignal } from '../../system/signals.ts'
import { errorByStatus } from '../call-errors.ts'
import { DownloadError, UnexpectedResponseError } from '../errors.ts'
import { type Client, checkSlug, type DownloadDestination, type DownloadOptions, downloadOptions } from '../options.ts'
import {
  announcedSize,
  askedWaitMs,
  callSite,
  discard,
  type FileRequestOptions,
  foreignEncoding,
  type GetFile,
  plainUrl,
} from '../site/file-request.ts'
import { TransportError, type TransportResponse } from '../transports/transport.ts'
import { type DownloadTarget, downloadToPath, downloadToStream, type ResumePoint } from './download-target.ts'

/** `client.download`: looks an upload up and fetches its file from the site, without the key. */
export async function downloadUpload(
  { show, ...site }: FileRequestOptions & Pick<Client, 'show'>,
  slug: string,
  destination: DownloadDestination,
  options: DownloadOptions = {},
): Promise<Upload> {
  checkSlug('client.download', slug)
  checkDestination(destination)
  checkOptions('client.download', options, downloadOptions)
  const { force = false, signal = new AbortController().signal } = options
  shareSignal(signal)
  const observe = observer('onProgress of client.download', options.onProgress)
  let total = 0
  const onProgress = (received: number) => observe({ received, total })
  async function find(signal: AbortSignal) {
    const upload = await show(slug, { signal })
    const url = fileAddress(upload)
    total = upload.size
    const fetch = (target: DownloadTarget) => download(url, target, { ...site, size: total, signal })
    return { upload, fetch }
  }
  if (typeof destination !== 'string') {
    const stream = { name: `The stream for ${slug}`, signal, onProgress }
    return await downloadToStream(destination, stream, async (target, until) => {
      const { upload, fetch } = await find(until)
      await fetch(target)
      return upload
    })
  }
  const { upload, fetch } = await find(signal)
  await downloadToPath(destination, { ...upload, force, signal, onProgress, fetch })
  return upload
}

/** Streams by their shape: an environment for tests may have classes of its own. @throws TypeError */
function checkDestination(given: unknown): void {
  if (typeof given === 'string' && given !== '' && !given.includes('\0')) return
  const isStream = [['write', 'end', 'on'], ['getWriter']].some((methods) => hasMethods(given, methods))
  const isLocked = Object(given).locked === true
  if (isStream && !isLocked) return
  const found = `${kindOf(given)}${isLocked ? ' that something else writes to' : ''}`
  throw invalidValue(`client.download takes a path or a writable stream second, but got ${found}`)
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
  let furthest = 0
  await callSite<void>(url, options, {
    async send(get) {
      const answer = await answerOf(get, target.resume())
      if (answer.status === 200 || answer.status === 206) {
        return { answer, value: await take(url, answer, target, options) }
      }
      const askedMs = askedWaitMs(answer)
      return { answer, error: await fileError(url, answer, askedMs || undefined) }
    },
    hasProgressed() {
      const { bytes } = target.resume()
      const isFurther = bytes > furthest
      furthest = Math.max(furthest, bytes)
      return isFurther
    },
  })
}

/** Reads the answer to the end of the file. An abort does not wait for a slow disk or reader. */
async function take(url: string, answer: TransportResponse, target: DownloadTarget, options: SiteOptions) {
  const { size, signal } = options
  let bytes = 0
  try {
    const { point, total } = readStart(url, answer, target.resume())
    if (total !== undefined && total !== size) throw wrongSize(target, size, total, answer)
    await orAborted(target.begin(point), signal)
    bytes = point.bytes
  } catch (error) {
    await discard(answer)
    throw error
  }
  for await (const chunk of answer.body) {
    bytes += chunk.length
    if (bytes > size) throw wrongSize(target, size, bytes, answer)
    await orAborted(target.write(chunk), signal)
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
async function answerOf(get: GetFile, point: ResumePoint) {
  const { bytes, validator } = point
  // The rest of a file, if it has not changed; all of it where nothing is here.
  const rest = bytes > 0 && validator ? { range: `bytes=${bytes}-`, 'if-range': validator } : {}
  const response = await get(rest)
  const isPart = response.status === 206 && bytes > 0
  const isSame = validator !== undefined && response.headers['etag'] === validator
  const changed = isPart && (!isSame || foreignEncoding(response) !== undefined)
  if (response.status !== 416 && !changed) return response
  await discard(response)
  return await get()
}

/** The error of an answer without the file. No key and no file were sent, so that it judges neither. */
async function fileError(url: string, response: TransportResponse, retryAfterMs: number | undefined) {
  const { status } = response
  await discard(response)
  const isMissing = status === 404 || status === 410
  const message = `GET ${plainUrl(url)} answered ${status}${isMissing ? ': the file is not there' : ''}`
  const isRefused = status === 401 || status === 403
  const hint = isRefused ? 'Its site refuses it to everyone; its page may say why' : undefined
  const details = { request: { method: 'GET', path: plainUrl(url) }, status, retryAfterMs, hint }
  if (status === 413 || status === 422) return new UnexpectedResponseError(message, details)
  const known = isRefused ? 403 : isMissing ? 404 : status
  return errorByStatus(known, message, details) ?? new UnexpectedResponseError(message, details)
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

/**
 * Where the bytes of an answer begin, and the whole file's size if the site tells it.
 * @param point where those begin that were asked for
 * @throws UnexpectedResponseError if the answer has others
 */
export function readStart(url: string, response: TransportResponse, point: ResumePoint) {
  const { status, headers } = response
  const encoding = foreignEncoding(response)
  if (encoding !== undefined) {
    const message = `GET ${plainUrl(url)} answered with ${encoding} bytes instead of the file's own`
    throw new UnexpectedResponseError(message, { hint: 'Get the file with a browser, or try again later' })
  }
  if (status === 200) return { point: { bytes: 0, validator: validatorOf(headers) }, total: announcedSize(response) }
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? []
  if (Number(from) !== point.bytes || point.bytes === 0) {
    throw new UnexpectedResponseError(`GET ${plainUrl(url)} answered with another part of the file than was asked for`)
  }
  return { point, total: total === undefined || total === '*' ? undefined : Number(total) }
}

/** Parts can be joined by a strong tag alone: a weak one, or a date, promises nothing about single bytes. */
function validatorOf({ etag }: Readonly<Record<string, string>>): string | undefined {
  return etag?.startsWith('"') ? etag : undefined
}
