import type { Dialect } from '../../emulator/index.ts'
import type { DialectExpectations } from './dialects/expectations.ts'
import { hostile } from './dialects/hostile.ts'
import { laravel } from './dialects/laravel.ts'

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
