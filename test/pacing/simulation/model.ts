import { windowRules } from '../../../emulator/service/quota/quota.ts'
import {
  type SlidingUse,
  slidingWindow,
  type WindowMoment,
  type WindowRules,
} from '../../../emulator/service/quota/sliding-windows.ts'
import { defaultLimits, type WindowKind, type WindowName } from '../../../src/protocol/rate-limits.ts'
import type { ResetForm, RetryAfterForm } from './header-forms.ts'

/** A kind of window; `sliding_second` is a sliding log of whole seconds that counts both ends of its window. */
export type ModelKind = WindowKind | 'sliding_second'

/** Where a refused request is charged: in no window, in those before the refusing one, or in all. */
export type RefusalCharge = 'none' | 'partial' | 'full'

export const refusalCharges: readonly RefusalCharge[] = ['none', 'partial', 'full']

/** The behaviour of a service that matters for pacing. */
export interface ServiceModel {
  readonly kinds: Readonly<Record<WindowName, ModelKind>>
  /** In units. */
  readonly limits: Readonly<Record<WindowName, number>>
  readonly refusalCharge: RefusalCharge
  /** The shortest and the longest upload; it is charged at any time within. */
  readonly uploadMs: readonly [number, number]
  /** The same of other requests. */
  readonly otherMs: readonly [number, number]
  /** Whether answers are held back by up to two seconds once 80 % of the minute is used (spec 8.3). */
  readonly softDelay: boolean
  readonly retryAfter: RetryAfterForm
  /** Which X-RateLimit headers a success carries. */
  readonly headers: readonly ('limit' | 'remaining' | 'reset' | 'cost')[]
  /** The window they report: always the minute, or the one with least left. */
  readonly toldWindow: 'minute' | 'tightest'
  readonly reset: ResetForm
}

export const usualModel: ServiceModel = {
  kinds: allOf('fixed'),
  limits: defaultLimits,
  refusalCharge: 'none',
  uploadMs: [300, 3_000],
  otherMs: [50, 300],
  softDelay: true,
  retryAfter: 'seconds',
  headers: ['limit', 'remaining', 'reset', 'cost'],
  toldWindow: 'minute',
  reset: 'epoch-seconds',
}

/** All four windows of one kind. */
export function allOf(kind: ModelKind): ServiceModel['kinds'] {
  return { burst: kind, minute: kind, hour: kind, day: kind }
}

export function modelKind(kind: ModelKind): WindowRules {
  return kind === 'sliding_second' ? slidingSecond : windowRules[kind]
}

const SECOND_MS = 1_000

const slidingSecond: WindowRules<SlidingUse> = {
  ...slidingWindow,
  used: (use, moment) => slidingWindow.used(use, wholeSeconds(moment)),
  charged: (use, units, moment) => slidingWindow.charged(use, units, wholeSeconds(moment)),
  refunded: (use, charge, moment) =>
    slidingWindow.refunded(use, { ...charge, at: wholeSecond(charge.at) }, wholeSeconds(moment)),
  availableAt: (use, units, moment) =>
    Math.max(slidingWindow.availableAt(use, units, wholeSeconds(moment)), moment.now),
}

function wholeSeconds(moment: WindowMoment): WindowMoment {
  return { ...moment, now: wholeSecond(moment.now), lengthMs: moment.lengthMs + SECOND_MS }
}

function wholeSecond(instant: number): number {
  return Math.floor(instant / SECOND_MS) * SECOND_MS
}
