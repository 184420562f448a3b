import { type Clock, steadyMs } from '../../clock.ts'
import { DRIFT } from '../../pacing/quota-model/clock-offset.ts'
import type { TimeSpan } from './created-at.ts'
import { type ServiceClock, UNSEEN_STEP_MS } from './service-clock.ts'
import type { UploadIntent } from './upload-intent.ts'

/** When an upload can have been made, by the service's clock. */
export interface Timing {
  /** It began within this span. */
  readonly begun: TimeSpan
  /** Its last attempt had ended by then. */
  readonly ended: number
}

/** An upload that may have been stored. */
export interface UncertainUpload {
  readonly intent: UploadIntent
  /** By what is known now: every answer adds to what is known about the service's clock. */
  timing(): Timing
  /** Whether the list showed a slug before this upload began. */
  wasSeenBefore(slug: string): boolean
  /** Milliseconds since its last attempt ended; 0 if unknown. */
  quietMs(): number
  /** Whether all of it was sent, and the answer is awaited. */
  readonly isAnswerDue?: boolean
}

/** Two measurements of the same time may differ by this much. */
const SAME_MS = 1_000

interface Clocks {
  readonly clock: Clock
  /** The same clock, made steady. */
  readonly steady: Clock
  readonly serviceClock: ServiceClock
}

/**
 * Reads the intent of another process. Its times count if its wall clock and its monotonic clock agree on how long ago it
 * began, or if that process knew the service's time. Otherwise the clock may have been set since then.
 */
export function uncertainFromIntent(intent: UploadIntent, { clock, steady, serviceClock }: Clocks): UncertainUpload {
  const { startedAt, endedAt, serviceStartedAt } = intent
  const age = clock.now() - startedAt
  const steadyAge =
    intent.monotonic === undefined || !serviceClock.isSteady ? undefined : steadyMs(clock) - intent.monotonic
  const isSame = steadyAge !== undefined && Math.abs(age - steadyAge) <= SAME_MS + Math.abs(age) * DRIFT
  const wasSet = !serviceClock.isSteady || (steadyAge !== undefined && !isSame)
  const at = steady.now() - (isSame ? steadyAge : age)
  const lasted = endedAt === null || endedAt < startedAt ? Number.POSITIVE_INFINITY : endedAt - startedAt
  const isPlaced = isSame || serviceStartedAt !== undefined
  const begun = (): TimeSpan => {
    if (serviceStartedAt !== undefined) return serviceStartedAt
    const { from, to } = serviceClock.whenTold(at)
    if (isSame) return { from, to }
    return { from: from - UNSEEN_STEP_MS, to: wasSet ? serviceClock.latest() : to }
  }
  return {
    intent,
    timing: () => ({
      begun: begun(),
      ended: isPlaced && serviceClock.isSteady ? begun().to + lasted : Number.POSITIVE_INFINITY,
    }),
    wasSeenBefore: () => false,
    quietMs: () => (isSame ? Math.max(steady.now() - at - lasted, 0) : 0),
  }
}
