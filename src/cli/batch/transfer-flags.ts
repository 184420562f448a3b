import { InvalidArgumentError } from 'commander'
import { leastBytesPerSecond, readByteSize } from '../../protocol/quantities.ts'

/**
 * Reads `--jobs N`: how many files are in transfer at a time.
 * @throws InvalidArgumentError
 */
export function parseJobs(text: string): number {
  const jobs = Number(text)
  if (Number.isInteger(jobs) && jobs >= 1 && jobs <= 64) return jobs
  throw new InvalidArgumentError('Give a number from 1 to 64.')
}

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
