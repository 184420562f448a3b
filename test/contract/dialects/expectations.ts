import type { Departures } from '../clauses.ts'
import type { Amendment } from '../described.ts'

/** How a dialect differs from the spec and the default choices. */
export interface DialectExpectations {
  /** Departures from the tests' expectations. */
  readonly departures: Departures
  /** Changes to the OpenAPI document. */
  readonly amendments: readonly Amendment[]
}
