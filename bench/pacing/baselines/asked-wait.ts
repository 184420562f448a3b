import type { SimulatedAnswer } from '../../../test/pacing/simulation/service.ts'

/** A Retry-After of whole seconds, in milliseconds; undefined where there is none. */
export function askedWaitMs({ headers }: SimulatedAnswer): number | undefined {
  const seconds = Number.parseInt(headers['retry-after'] ?? '', 10)
  return Number.isNaN(seconds) ? undefined : seconds * 1_000
}
