import { afterAll, beforeEach, describe } from 'vitest'
import { authenticationClauses } from './authentication.ts'
import { endpointClauses } from './endpoints.ts'
import { errorClauses } from './errors.ts'
import { limitClauses } from './limits.ts'
import { resourceClauses } from './resources.ts'
import { type ContractTarget, foreignTarget, inProcessTarget, socketTarget } from './targets.ts'

/** The whole contract, for one service. */
function contract(target: ContractTarget): void {
  // Every test begins with fresh windows; a foreign service is waited for instead.
  beforeEach(() => target.emulator?.control.clock.advance('1d'))
  afterAll(() => target.close())
  resourceClauses(target)
  endpointClauses(target)
  authenticationClauses(target)
  errorClauses(target)
  limitClauses(target)
}

const { FH_CONTRACT_URL: url, FH_CONTRACT_KEY: key } = process.env
const ownTargets = [await inProcessTarget(), await socketTarget()]
const foreignTargets = url && key ? [foreignTarget(url.replace(/\/+$/, ''), key)] : []

for (const target of ownTargets) describe(`the emulator ${target.name}`, () => contract(target))

// Waiting for a service's quota takes minutes.
for (const target of foreignTargets) {
  describe(`the service ${target.name}`, { timeout: 600_000 }, () => contract(target))
}
