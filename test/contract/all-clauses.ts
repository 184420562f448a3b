import { authenticationClauses } from './authentication.ts'
import { type Clauses, createClauses } from './clauses.ts'
import { dialects } from './dialects.ts'
import { endpointClauses } from './endpoints.ts'
import { errorClauses } from './errors.ts'
import { limitClauses } from './limits.ts'
import { resourceClauses } from './resources.ts'
import { accessSilences } from './silences/access.ts'
import { errorSilences } from './silences/errors.ts'
import { lifecycleSilences } from './silences/lifecycle.ts'
import { limitSilences } from './silences/limits.ts'
import { objectSilences } from './silences/objects.ts'
import { pageSilences } from './silences/pages.ts'
import { quotaNoticeSilences } from './silences/quota-notices.ts'
import { routingSilences } from './silences/routing.ts'
import { uploadSilences } from './silences/uploading.ts'
import type { ContractTarget, OwnTarget } from './targets.ts'

/** The spec's clauses, for any service. */
export function specClauses(target: ContractTarget, clauses: Clauses): void {
  resourceClauses(target, clauses)
  endpointClauses(target, clauses)
  authenticationClauses(target, clauses)
  errorClauses(target, clauses)
  limitClauses(target, clauses)
}

/** The emulator's choices where the spec leaves one. */
function silences(target: OwnTarget, clauses: Clauses): void {
  objectSilences(target, clauses)
  pageSilences(target, clauses)
  lifecycleSilences(target, clauses)
  uploadSilences(target, clauses)
  routingSilences(target, clauses)
  accessSilences(target, clauses)
  errorSilences(target, clauses)
  limitSilences(target, clauses)
  quotaNoticeSilences(target, clauses)
}

/** All clauses of a target, to be registered by the caller. */
export function clausesOf(target: OwnTarget): Clauses {
  const clauses = createClauses(target.dialect, dialects[target.dialect].departures)
  specClauses(target, clauses)
  silences(target, clauses)
  return clauses
}

/** At least two days later, so that every window is empty, and at noon, when all begin. */
export function nextNoon({ emulator: { clock, control } }: OwnTarget): Promise<unknown> {
  const day = 86_400_000
  return control.clock.set((Math.ceil((clock.now() - day / 2) / day) + 2) * day + day / 2)
}
