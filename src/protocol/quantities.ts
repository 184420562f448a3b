const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Reads `500ms`, `2s`, `5m`, `1h`, `1d`; a bare number is seconds.
 * @returns milliseconds; undefined if the text is not a duration
 */
export function readDuration(text: string): number | undefined {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(text.trim()) ?? []
  const ms = Number(number) * (unitMs[unit] ?? Number.NaN)
  return Number.isFinite(ms) ? ms : undefined
}

/**
 * Reads `200MB`, `512 KiB`, `1.5g`, in units of 1,024 as the service counts; a bare number is bytes.
 * @returns bytes, above zero; undefined if the text is not such a size
 */
export function readByteSize(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?$/i.exec(text.trim()) ?? []
  const bytes = Math.round(Number(number) * 1_024 ** ' kmgt'.indexOf(unit.toLowerCase() || ' '))
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined
}

/** The slowest rate of uploads: at a slower one, a connection would be silent for so long that it seems dead. */
export const leastBytesPerSecond = 100

/** `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
