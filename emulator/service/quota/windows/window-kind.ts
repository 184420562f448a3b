import type { Charge, WindowUse } from '../../../storage/window-use.ts'

/** A window at an instant. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly now: number
  readonly lengthMs: number
  /** In units; null is unlimited. */
  readonly limit: number | null
}

/**
 * How a window passes. A use of another kind is as good as none, and none is of the future: `setBack` sees to that.
 */
export interface WindowKind {
  /** Units that count against the limit; a part of a unit counts as a whole one. */
  used(use: WindowUse | undefined, moment: Moment): number
  /** The use once units have been charged now. */
  charged(use: WindowUse | undefined, units: number, moment: Moment): WindowUse
  /** The use without a charge made earlier, as far as that still counts. */
  refunded(use: WindowUse, charge: Charge, moment: Moment): WindowUse
  /** The first instant from now on at which at most `units` count, should nothing be charged until then. */
  fallsTo(use: WindowUse | undefined, units: number, moment: Moment): number
}
