import { UnexpectedResponseError } from '../errors.ts'
import type { TransportResponse } from '../transports/transport.ts'
import { plainUrl, type ResumePoint } from './file-request.ts'

/** Where the bytes of an answer begin. */
export interface DownloadStart {
  readonly offset: number
  /** What names this state of the file; undefined where the site names none, so that nothing can be resumed. */
  readonly validator: string | undefined
  /** The whole file's size in bytes, where the site tells it. */
  readonly total: number | undefined
}

/** Whether a part is of the state of the file that is here: it names the same one. What names none may be any. */
export function isSameFile({ headers }: TransportResponse, { validator }: ResumePoint): boolean {
  const named = validator?.startsWith('"') ? headers['etag'] : headers['last-modified']
  return named !== undefined && named === validator
}

/** @throws UnexpectedResponseError where the bytes of an answer are not those that were asked for */
export function readStart(url: string, { status, headers }: TransportResponse, point: ResumePoint): DownloadStart {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    throw new UnexpectedResponseError(`GET ${plainUrl(url)} answered with ${encoding} bytes instead of the file's own`)
  }
  if (status === 200) return { offset: 0, validator: validatorOf(headers), total: countOf(headers['content-length']) }
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? []
  if (Number(from) !== point.bytes || point.bytes === 0) {
    throw new UnexpectedResponseError(`GET ${plainUrl(url)} answered with another part of the file than was asked for`)
  }
  return { offset: point.bytes, validator: point.validator, total: countOf(total) }
}

/**
 * A part can be joined to another by a strong tag. A weak one promises nothing about single bytes, and beside it the date
 * promises no more; nor does a date of the second in which the answer was made (RFC 9110, 8.8.2.2 and 13.1.5).
 */
function validatorOf({ etag, date, 'last-modified': modified }: Readonly<Record<string, string>>): string | undefined {
  if (etag !== undefined) return etag.startsWith('"') ? etag : undefined
  const isOld = Date.parse(date ?? '') - Date.parse(modified ?? '') >= 1_000
  return isOld ? modified : undefined
}

function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}
