import { InvalidArgumentError } from 'commander'

/**
 * Reads `--jobs N`: how many files are in transfer at a time.
 * @throws InvalidArgumentError
 */
export function parseJobs(text: string): number {
  const jobs = Number(text)
  if (Number.isInteger(jobs) && jobs >= 1 && jobs <= 64) return jobs
  throw new InvalidArgumentError('Give a number from 1 to 64.')
}
