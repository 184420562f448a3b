import { ConflictError } from '../emulator-error.ts'
import type { NearMiss } from './near-misses.ts'

/** How many requests are expected; null: any number above `min`. */
export interface ExpectedRange {
  readonly min: number
  readonly max: number | null
}

/** The log does not match the expectation. The message names the closest request, and how it differs. */
export class VerificationError extends ConflictError {
  override readonly name = 'VerificationError'
  readonly expected: ExpectedRange
  /** How many requests match; of `in_order`, how many of them the log has in this order. */
  readonly found: number
  /** The closest first, five at most; of the account that the expectation names, else of all. */
  readonly nearMisses: readonly NearMiss[]

  constructor(
    message: string,
    { expected, found, nearMisses }: Pick<VerificationError, 'expected' | 'found' | 'nearMisses'>,
  ) {
    super('not-as-expected', message)
    this.expected = expected
    this.found = found
    this.nearMisses = nearMisses
  }
}
