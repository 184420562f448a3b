import { InvalidArgumentError } from 'commander'
import { leastBytesPerSecond, readByteSize } from '../../protocol/quantities.ts'

/**
 * Reads `--bwlimit RATE`: `500k`, `2MB`, `1.5MiB/s`, in units of 1,024; a bare number is bytes. All are per second.
 * @throws InvalidArgumentError
 */
export function parseBandwidth(text: string): number {
  const rate = text.trim()
  const bytesPerSecond = readByteSize(rate.endsWith('/s') ? rate.slice(0, -'/s'.length) : rate)
  if (bytesPerSecond !== undefined && bytesPerSecond >= leastBytesPerSecond) return bytesPerSecond
  throw new InvalidArgumentError(`Give bytes per second from ${leastBytesPerSecond} up, such as 500KB or 1.5MB.`)
}
