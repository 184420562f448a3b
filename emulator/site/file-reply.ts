import { type HttpReply, type HttpRequest, headerOf } from '../http-types.ts'
import type { ByteRange } from '../storage/blob-store.ts'
import { selectRange } from './byte-range.ts'
import { isUnchanged, rangeApplies, type Validators } from './validators.ts'

/** A file that the site serves. */
export interface ServedFile extends Validators {
  readonly mimeType: string
  readonly sizeBytes: number
  read(range: ByteRange): AsyncIterable<Uint8Array>
}

/** Replies with a file, a part of it, or 304 if it has not changed. */
export function fileReply(request: HttpRequest, file: ServedFile): HttpReply {
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
export function beginsAtFirstByte({ status, headers }: HttpReply): boolean {
  return status === 200 || (status === 206 && /^bytes 0-/.test(headers['Content-Range'] ?? ''))
}

/** Ranges apply to GET, and only if the client has the rest of this same file. */
function rangeHeader(request: HttpRequest, file: ServedFile): string | undefined {
  return request.method === 'GET' && rangeApplies(request, file) ? headerOf(request, 'range') : undefined
}
