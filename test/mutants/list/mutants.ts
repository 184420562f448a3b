import { mutantsIn } from '../mutate.ts'
import { admission } from './admission.ts'
import { exactlyOnce } from './exactly-once.ts'
import { pacing } from './pacing.ts'
import { quota } from './quota.ts'

/** Every rule that a test must notice when it is broken. */
export const mutants = [pacing, exactlyOnce, quota, admission].flatMap(mutantsIn)
