import type { MutantsOfFile, PlacedMutant } from '../mutate.ts'
import { admission } from './admission.ts'
import { exactlyOnce } from './exactly-once.ts'
import { pacing } from './pacing.ts'
import { quota } from './quota.ts'

const placed = ({ mutants: all, ...place }: MutantsOfFile) => all.map((mutant) => ({ ...mutant, ...place }))

/** Every rule that a test must notice when it is broken. */
export const mutants: readonly PlacedMutant[] = [...pacing, ...exactlyOnce, ...quota, ...admission].flatMap(placed)
