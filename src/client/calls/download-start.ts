import { UnexpectedResponseError } from '../errors.ts'
import type { TransportResponse } from '../transports/transport.ts'
import { announcedSize, foreignEncoding, plainUrl, type ResumePoint } from './file-request.ts'

/** Where the bytes of an answer begin in the file. */
export type DownloadStart = ReturnType<typeof readStart>

/** Whether an answer names the same version of the file as the part that is here. */
export function isSameFile({ headers }: TransportResponse, { validator }: ResumePoint): boolean {
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
    throw new UnexpectedResponseError(`GET ${plainUrl(url)} answered with ${encoding} bytes instead of the file's own`)
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
