import { type HttpReply, type HttpRequest, headerOf } from '../http-types.ts'
import type { ByteRange } from '../storage/blob-store.ts'
import { selectRange } from './byte-range.ts'
import { isUnchanged, rangeApplies, type Validators } from './validators.ts'

/** Bytes the site hands out. */
export interface ServedFile extends Validators {
  readonly mimeType: string
  readonly sizeBytes: number
  read(range: ByteRange): AsyncIterable<Uint8Array>
}

/** Answers with a file, a part of it, or the news that nothing has changed. */
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

/** Whether an answer begins with the first byte of its file, as somebody's who has just come to look at it. */
export function beginsAtFirstByte({ status, headers }: HttpReply): boolean {
  return status === 200 || (status === 206 && /^bytes 0-/.test(headers['Content-Range'] ?? ''))
}

/** Parts are for GET alone, and only of the file the client has the rest of. */
function rangeHeader(request: HttpRequest, file: ServedFile): string | undefined {
  return request.method === 'GET' && rangeApplies(request, file) ? headerOf(request, 'range') : undefined
}
