import type { Clock, Transport } from '../../src/index.ts'
import type { QuotaLimits } from '../../src/protocol/rate-limits.ts'
import type { Scenario, ScenarioBreak } from './scenario.ts'

/** The inputs of a run, and its callbacks. */
export interface RunOptions {
  readonly scenario: Scenario
  readonly apiKey: string
  /** Config, journal and ledger, which the next run gets a copy of. */
  readonly folder: string
  readonly clock: Clock
  readonly transport: Transport
  readonly limits: QuotaLimits
  /** Called before each request is sent. @returns the break planned for it */
  readonly onRequest: () => ScenarioBreak | undefined
  /** Called at the moment of a kill: the next run finds the folder as it is now. */
  readonly onKill: (killedBy: ScenarioBreak) => void
}
