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

/** Whether the answer is a part of another state of the file than the one that is here. */
export function isOtherFile({ headers }: TransportResponse, { validator }: ResumePoint): boolean {
  const { etag } = headers
  return etag !== undefined && validator?.startsWith('"') === true && etag !== validator
}

/** @throws UnexpectedResponseError where the bytes of an answer are not those that were asked for */
export function readStart(url: string, { status, headers }: TransportResponse, point: ResumePoint): DownloadStart {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    throw new UnexpectedResponseError(`GET ${plainUrl(url)} answered with ${encoding} bytes instead of the file's own`)
  }
  const validator = validatorOf(headers)
  if (status === 200) return { offset: 0, validator, total: countOf(headers['content-length']) }
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? []
  if (Number(from) !== point.bytes || point.bytes === 0) {
    throw new UnexpectedResponseError(`GET ${plainUrl(url)} answered with another part of the file than was asked for`)
  }
  return { offset: point.bytes, validator: validator ?? point.validator, total: countOf(total) }
}

/** A weak tag promises nothing about single bytes, so a part can be joined to another by a strong one or by the date. */
function validatorOf({ etag, 'last-modified': modified }: Readonly<Record<string, string>>): string | undefined {
  return etag?.startsWith('"') ? etag : modified
}

function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}
