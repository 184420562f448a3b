import type { Clock, Transport } from '../../src/index.ts'
import type { QuotaLimits } from '../../src/protocol/rate-limits.ts'
import type { Plot, PlotBreak } from './scenario.ts'

/** What a run is given, and whom it tells. */
export interface RunOptions {
  readonly plot: Plot
  readonly apiKey: string
  /** What the run keeps for the next one. */
  readonly folder: string
  readonly clock: Clock
  readonly transport: Transport
  readonly limits: QuotaLimits
  /** Told of each request before it is sent. @returns the break that comes with it */
  readonly onRequest: () => PlotBreak | undefined
  /** Told at the very moment of a kill: what the folder holds then is what the next run finds. */
  readonly onKill: (killedBy: PlotBreak) => void
}
