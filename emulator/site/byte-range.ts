import type { ByteRange } from '../storage/blob-store.ts'

/**
 * Reads a Range header. Several ranges at once, other units and malformed ones are passed over and the whole file is
 * the answer, which HTTP allows and every client has to bear.
 *
 * @returns the bytes that are asked for and exist, or which of the two cannot be said
 */
export function selectRange(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)$/i.exec(header?.trim() ?? '') ?? []
  if (first === '') return last === '' ? 'whole' : lastBytes(Number(last), sizeBytes)
  const start = Number(first)
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  if (end < start) return 'whole'
  return start < sizeBytes ? { start, end: Math.min(end, sizeBytes - 1) } : 'unsatisfiable'
}

function lastBytes(count: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  if (count === 0 || sizeBytes === 0) return 'unsatisfiable'
  return { start: Math.max(sizeBytes - count, 0), end: sizeBytes - 1 }
}
