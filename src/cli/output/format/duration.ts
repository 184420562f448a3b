import { readDuration } from '../../../protocol/quantities.ts'

/**
 * Reads `500ms`, `2s`, `5m`, `1h`, `1d`; a bare number is seconds.
 * @returns milliseconds
 * @throws TypeError with examples of valid durations
 */
export function parseDuration(text: string): number {
  const ms = readDuration(text)
  if (ms !== undefined) return ms
  throw new TypeError(`${JSON.stringify(text)} is not a duration: write 500ms, 2s, 5m or 1h`)
}

/** `0.4 s`, `42 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${Math.max(Math.ceil(ms / 100) / 10, 0.1)} s`
  const seconds = Math.ceil(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return inTwo(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  const minutes = Math.ceil(seconds / 60)
  return inTwo(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
}

function inTwo(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}
