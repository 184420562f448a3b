import { readByteSize } from '../../protocol/quantities.ts'

/** As the service counts: 1 KB is 1,024 bytes, 1 MB is 1,024 KB. */
const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/**
 * Reads `200MB`, `512 KiB`, `1.5g`; a bare number is bytes.
 * @throws TypeError with examples of valid sizes
 */
export function parseByteSize(text: string): number {
  const bytes = readByteSize(text)
  if (bytes !== undefined) return bytes
  throw new TypeError(`${JSON.stringify(text)} is not a file size: write 200MB, 512KB or a number of bytes`)
}

/** `0 B`, `83.1 KB`, `200 MB`. */
export function formatByteSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const amount = bytes / 1_024 ** power
  const digits = power === 0 || amount >= 100 || Number.isInteger(amount) ? 0 : 1
  return `${amount.toFixed(digits)} ${units[power]}`
}

/** `31.2 MB of 100 MB`; without a known total, only the bytes transferred, if any. */
export function formatMoved(bytes: { readonly total: number | undefined; readonly moved: number }): readonly string[] {
  const { total, moved } = bytes
  if (total) return [`${formatByteSize(moved)} of ${formatByteSize(total)}`]
  return moved > 0 ? [formatByteSize(moved)] : []
}
