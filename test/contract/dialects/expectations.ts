import type { Departures } from '../clauses.ts'
import type { Amendment } from '../described.ts'

/** How a service speaks, where it differs from the spec and the defaults of its silences. */
export interface DialectExpectations {
  /** From what the tests expect. */
  readonly departures: Departures
  /** To the OpenAPI document. */
  readonly amendments: readonly Amendment[]
}
