import type { ByteRange } from '../storage/blob-store.ts'

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
