import type { Dialect } from '../../emulator/index.ts'
import type { DialectExpectations } from './dialects/expectations.ts'
import { hostile } from './dialects/hostile.ts'
import { laravel } from './dialects/laravel.ts'

/** A foreign service should follow the spec, in any format of offsets. */
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
