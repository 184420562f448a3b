import { type Clock, steadyMs } from '../../clock.ts'
import { DRIFT } from '../../pacing/quota-model/service-clock.ts'
import type { TimeSpan } from './created-at.ts'
import type { ServiceClock } from './service-clock.ts'
import type { UploadIntent } from './upload-intent.ts'

/** When an upload can have been made, by the service's clock. */
export interface Timing {
  /** It began at some instant of these. */
  readonly begun: TimeSpan
  /** Its last attempt had ended by then. */
  readonly ended: number
}

/** An upload of which it is asked what became of it. */
export interface UncertainUpload {
  readonly intent: UploadIntent
  /** As well as it is known by now: an answer tells more of the service's clock. */
  timing(): Timing
  /** Whether an upload was seen before this one began. */
  isSeenBefore(slug: string): boolean
  /** For how long its last attempt has been over, in milliseconds; 0 where nothing tells. */
  quietMs(): number
}

/** By so much two measures of the same time may differ. */
const SAME_MS = 1_000
/** A week: by so much a clock may have been set between two processes, unseen. */
const UNSEEN_STEP_MS = 7 * 86_400_000

interface Clocks {
  /** The caller's, and the same made steady. */
  readonly clock: Clock
  readonly steady: Clock
  readonly serviceClock: ServiceClock
}

/**
 * Asks for an upload of another process. What its clock said counts where both its clocks agree on how long ago that was,
 * or where it knew the service's time; else its clock may have been set since then, and nothing is concluded from it alone.
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
    isSeenBefore: () => false,
    quietMs: () => (isSame ? Math.max(steady.now() - at - lasted, 0) : 0),
  }
}
