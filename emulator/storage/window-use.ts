/**
 * What one window has been charged, in the form of its kind: plain data of bounded size, which only the rules of that
 * kind read. Instants are epoch milliseconds.
 */
export type WindowUse = SteppedUse | SlidingUse | CounterUse | BucketUse

/** A window that begins at an instant and forgets everything at its end. */
export interface SteppedUse {
  readonly kind: 'fixed' | 'aligned'
  readonly startedAt: number
  readonly units: number
}

/** Units charged at an instant. */
export interface Charge {
  readonly at: number
  readonly units: number
}

/** Every charge, the oldest first. */
export interface SlidingUse {
  readonly kind: 'sliding'
  readonly charges: readonly Charge[]
}

/** What was charged in one period of the clock and in the one before it. */
export interface CounterUse {
  readonly kind: 'sliding_counter'
  readonly startedAt: number
  readonly units: number
  readonly unitsBefore: number
}

/** What was missing in a bucket at an instant, in units times the window's milliseconds, which is always whole. */
export interface BucketUse {
  readonly kind: 'token_bucket'
  readonly at: number
  readonly debt: number
}
