import type { Charge, WindowUse } from '../../../storage/window-use.ts'

/** A window's length and limit, at one instant. */
export interface WindowMoment {
  /** Epoch milliseconds. */
  readonly now: number
  readonly lengthMs: number
  /** In units; null means unlimited. */
  readonly limit: number | null
}

/** The rules of one kind of window. A use of another kind counts as none; no use lies in the future (`clampToNow`). */
export interface WindowKind {
  /** Units that count against the limit, rounded up. */
  used(use: WindowUse | undefined, moment: WindowMoment): number
  /** The use after a charge of `units` now. */
  charged(use: WindowUse | undefined, units: number, moment: WindowMoment): WindowUse
  /** The use without an earlier charge, as far as that still counts. */
  refunded(use: WindowUse, charge: Charge, moment: WindowMoment): WindowUse
  /** The first instant from now on at which at most `units` count, if nothing else is charged. */
  availableAt(use: WindowUse | undefined, units: number, moment: WindowMoment): number
}
