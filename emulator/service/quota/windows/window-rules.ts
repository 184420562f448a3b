import type { WindowUse } from '../../../storage/record-types.ts'
import type { Codec } from '../../../values/codec.ts'

/** A window's length and limit, at one instant. */
export interface WindowMoment {
  /** Epoch milliseconds. */
  readonly now: number
  readonly lengthMs: number
  /** In units; null means unlimited. */
  readonly limit: number | null
}

/** Units charged at one instant. */
export interface Charge {
  readonly at: number
  readonly units: number
}

/** The rules of one kind of window. They are given only uses of that kind, and none that lies in the future. */
export interface WindowRules<Use extends WindowUse = WindowUse> {
  /** When units come back, for the table of settings. */
  readonly meaning: string
  /** How snapshots write a use. */
  readonly codec: Codec<Use, unknown>
  /** Units that count against the limit, rounded up. */
  used(use: Use | undefined, moment: WindowMoment): number
  /** The use after a charge of `units` now. */
  charged(use: Use | undefined, units: number, moment: WindowMoment): Use
  /** The use without an earlier charge, as far as that still counts. */
  refunded(use: Use, charge: Charge, moment: WindowMoment): Use
  /** The first instant from now on at which at most `units` count, if nothing else is charged. */
  availableAt(use: Use | undefined, units: number, moment: WindowMoment): number
  /** The use after the clock was set back to now, as if the last charge was made now; itself if none is in the future. */
  clamped(use: Use, moment: Pick<WindowMoment, 'now' | 'lengthMs'>): Use
}
