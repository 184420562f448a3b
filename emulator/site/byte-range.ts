import type { ByteRange } from '../storage/blob-store.ts'

/**
 * Reads a Range header. Several ranges at once, other units and malformed ones are passed over and the whole file is
 * the answer, which HTTP allows and every client has to bear.
 *
 * @returns the bytes that are asked for and exist, or which of the two cannot be said
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
 * The two numbers of a single range of bytes, each of them text; none where it is something else. Cut at its signs, for a
 * regular expression that bears blanks around them tries every way to share many blanks out.
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
