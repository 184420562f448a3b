import type { HttpRequest, HttpResponse } from '../../http.ts'
import type { ByteRange } from '../../storage/blobs.ts'

interface Validators {
  /** With its quotes. */
  readonly etag: string
  /** Epoch milliseconds; HTTP compares whole seconds. */
  readonly modifiedAt: number
}

export interface ServedFile extends Validators {
  readonly mimeType: string
  readonly sizeBytes: number
  read(range: ByteRange): AsyncIterable<Uint8Array>
}

/** Replies with a file, a part of it, or 304 if it has not changed. */
export function fileReply(request: HttpRequest, file: ServedFile): HttpResponse {
  const { sizeBytes } = file
  const headers = {
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'no-cache',
    ETag: file.etag,
    'Last-Modified': new Date(file.modifiedAt).toUTCString(),
    'X-Content-Type-Options': 'nosniff',
  }
  if (isUnchanged(request, file)) return { status: 304, headers, body: null }

  const selected = selectRange(rangeHeader(request, file), sizeBytes)
  if (selected === 'unsatisfiable') {
    return { status: 416, headers: { ...headers, 'Content-Range': `bytes */${sizeBytes}` }, body: '' }
  }
  const { start, end } = selected === 'whole' ? { start: 0, end: sizeBytes - 1 } : selected
  const typed = { ...headers, 'Content-Type': file.mimeType, 'Content-Length': String(end - start + 1) }
  const body = sizeBytes === 0 ? '' : file.read({ start, end })
  if (selected === 'whole') return { status: 200, headers: typed, body }
  return { status: 206, headers: { ...typed, 'Content-Range': `bytes ${start}-${end}/${sizeBytes}` }, body }
}

/** Whether a reply begins with the file's first byte, which counts as a view. */
export function beginsAtFirstByte({ status, headers }: HttpResponse): boolean {
  return status === 200 || (status === 206 && /^bytes 0-/.test(headers['Content-Range'] ?? ''))
}

/** Ranges apply to GET, and only if the client has the rest of this same file. */
function rangeHeader(request: HttpRequest, file: ServedFile): string | undefined {
  return request.method === 'GET' && rangeApplies(request, file) ? request.headers['range'] : undefined
}

/** Whether the client already has this version; entity tags take precedence over the date. */
export function isUnchanged(request: HttpRequest, { etag, modifiedAt }: Validators): boolean {
  const tags = request.headers['if-none-match']
  if (tags !== undefined) return tags.trim() === '*' || tags.split(',').some((tag) => plainTag(tag) === etag)
  const since = Date.parse(request.headers['if-modified-since'] ?? '')
  return wholeSeconds(modifiedAt) <= since
}

/** Whether the requested range belongs to the version the client has. */
export function rangeApplies(request: HttpRequest, { etag, modifiedAt }: Validators): boolean {
  const condition = request.headers['if-range']?.trim()
  if (condition === undefined || condition === etag) return true
  // A weak tag says nothing about single bytes; a date must match exactly.
  return !/^(W\/)?"/.test(condition) && Date.parse(condition) === wholeSeconds(modifiedAt)
}

function plainTag(tag: string): string {
  return tag.trim().replace(/^W\//, '')
}

function wholeSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1_000) * 1_000
}

/**
 * Selects the bytes of a Range header. Several ranges, other units and malformed headers select the whole file, as HTTP
 * allows.
 *
 * @returns the range, or whether the whole file or nothing is selected
 */
export function selectRange(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [first = '', last = ''] = endsOf(header ?? '')
  if (first === '') return last === '' ? 'whole' : lastBytes(Number(last), sizeBytes)
  const start = Number(first)
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  if (end < start) return 'whole'
  return start < sizeBytes ? { start, end: Math.min(end, sizeBytes - 1) } : 'unsatisfiable'
}

/**
 * The two numbers of a single byte range as text; empty if it is something else. Split by hand: a regular expression
 * that allows blanks takes quadratic time on long ones.
 */
function endsOf(header: string): readonly string[] {
  const [unit = '', range, ...more] = header.split('=')
  const ends = range?.split('-').map((end) => end.trim()) ?? []
  const isRange = more.length === 0 && ends.length === 2 && ends.every((end) => /^\d*$/.test(end))
  return isRange && unit.trim().toLowerCase() === 'bytes' ? ends : []
}

function lastBytes(count: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  if (count === 0 || sizeBytes === 0) return 'unsatisfiable'
  return { start: Math.max(sizeBytes - count, 0), end: sizeBytes - 1 }
}
