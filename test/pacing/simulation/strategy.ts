import type { Clock } from '../../../src/clock.ts'
import type { Random } from './random.ts'
import type { SimulatedAnswer } from './service.ts'
import type { SharedState } from './shared-state.ts'

/** What one process works with. */
export interface ProcessContext {
  /** The machine's clock, which may be wrong. */
  readonly clock: Clock
  readonly random: Random
  /** What outlives a process, and may be shared with others. */
  readonly state: SharedState
}

/** Sends one request of that cost, in units. */
export type Send = (cost: number) => Promise<SimulatedAnswer>

/** One way of getting many files uploaded. */
export interface Strategy {
  readonly name: string
  /** How many uploads one process has under way at a time. */
  readonly jobs: number
  /** Starts a process. The returned function uploads one file and resolves to whether that succeeded. */
  readonly start: (context: ProcessContext) => (send: Send) => Promise<boolean>
}
