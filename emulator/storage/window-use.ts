/**
 * What a window was charged, in the format of its kind: plain data of bounded size. Instants are epoch milliseconds.
 */
export type WindowUse = SteppedUse | SlidingUse | CounterUse | BucketUse

/** A window that resets at its end. */
export interface SteppedUse {
  readonly kind: 'fixed' | 'aligned'
  readonly startedAt: number
  readonly units: number
}

/** Units charged at one instant. */
export interface Charge {
  readonly at: number
  readonly units: number
}

/** Every charge, oldest first. */
export interface SlidingUse {
  readonly kind: 'sliding'
  readonly charges: readonly Charge[]
}

/** The units of the clock's current period and of the one before. */
export interface CounterUse {
  readonly kind: 'sliding_counter'
  readonly startedAt: number
  readonly units: number
  readonly unitsBefore: number
}

/** The bucket's debt at one instant, in units times the window's milliseconds, always a whole number. */
export interface BucketUse {
  readonly kind: 'token_bucket'
  readonly at: number
  readonly debt: number
}
