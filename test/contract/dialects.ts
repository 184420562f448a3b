import type { Dialect } from '../../emulator/index.ts'
import type { Departures } from './clauses.ts'
import type { Amendment } from './described.ts'
import { hostile } from './dialects/hostile.ts'
import { laravel } from './dialects/laravel.ts'

/** How a service speaks, where it differs from the spec and the defaults of its silences. */
export interface DialectExpectations {
  /** From what the tests expect. */
  readonly departures: Departures
  /** To the OpenAPI document. */
  readonly amendments: readonly Amendment[]
}

/** Of services nobody knows it is expected that they speak the spec; how their offsets are written is left to them. */
const foreign: DialectExpectations = {
  departures: {},
  amendments: [[['components', 'schemas', 'Upload', 'properties', 'created_at'], { type: 'string' }]],
}

export const dialects: Readonly<Record<Dialect | 'foreign', DialectExpectations>> = {
  spec: { departures: {}, amendments: [] },
  laravel,
  hostile,
  foreign,
}
