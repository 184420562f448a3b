import { type WindowName, windowLengthMs } from '../../protocol/rate-limits.ts'

/** What a refusal has taught about a limit. */
interface Lesson {
  readonly units: number
  readonly refusedAt: number
  /** Start of the time without another refusal or use by others, in which the lesson is unlearned step by step. */
  readonly cleanFrom: number
  /** Length of one step of unlearning. */
  readonly stepMs: number
}

/** A window as it refuses. */
export interface Refused {
  /** Units in it by our own count. */
  readonly used: number
  readonly limit: number
  /** Price of the most expensive request: with a lower limit it could never be sent. */
  readonly dearest: number
  /** Whether our own use explains the refusal, if the window is a sliding counter. */
  readonly isOurs: boolean
}

/** Smallest share of a limit to believe: the rest may have been used by others. */
const LEAST_SHARE = 0.25
/** How long a window that has refused is treated as the kind that remembers longest. */
const SUSPICION_MS = 86_400_000

/** The burst is short, so a refusal by it is unlearned soon; use by others delays that during the first six steps. */
const BURST_STEP_MS = 20_000
const BURST_LESSON_STEPS = 6
/** If the burst refuses again within this time, others use the key all the time: each step takes longer than before. */
const BURST_RECURS_MS = 7_200_000
const BURST_RECURS_FACTOR = 4
const LONGEST_BURST_STEP_MS = 3_600_000

/**
 * Believes less of one window's limit after a refusal, and returns to the whole limit step by step.
 *
 * @param isGiven whether the user configured the limit: then it is doubted for at most one window
 */
export function createLearnedLimit(name: WindowName, { isGiven }: { readonly isGiven: boolean }) {
  const isBurst = name === 'burst'
  const growth = isBurst ? 1.5 : 1.25
  let lesson: Lesson | undefined
  let suspectFrom = Number.NEGATIVE_INFINITY

  function nextStepMs(at: number): number {
    if (!isBurst) return Math.max(windowLengthMs[name], 300_000)
    if (lesson === undefined || at - lesson.refusedAt > BURST_RECURS_MS) return BURST_STEP_MS
    return Math.min(lesson.stepMs * BURST_RECURS_FACTOR, LONGEST_BURST_STEP_MS)
  }

  /**
   * The limit that is believed for a while in place of the assumed one; from `until` on more is believed, or the whole limit.
   * Undefined where the whole limit is believed.
   */
  function belief(limit: number, now: number) {
    if (lesson === undefined) return undefined
    const { units, refusedAt, cleanFrom, stepMs } = lesson
    const givenAgainAt = isGiven ? refusedAt + windowLengthMs[name] : Number.POSITIVE_INFINITY
    const steps = Math.max(Math.floor((now - cleanFrom) / stepMs), 0)
    const believed = units * growth ** steps
    if (believed >= limit || now >= givenAgainAt) return undefined
    return { limit: Math.floor(believed), until: Math.min(cleanFrom + (steps + 1) * stepMs, givenAgainAt) }
  }

  return {
    learn({ used, limit, dearest, isOurs }: Refused, at: number): void {
      if (isOurs || !isBurst) suspectFrom = at
      const units = Math.max(used, limit * LEAST_SHARE, dearest)
      lesson = { units, refusedAt: at, cleanFrom: at, stepMs: nextStepMs(at) }
    },
    /** Others use the key: restarts the unlearning of a burst. The other windows are unlearned slowly enough without. */
    seeOthers(at: number): void {
      if (isBurst && lesson && at - lesson.cleanFrom < BURST_LESSON_STEPS * lesson.stepMs)
        lesson = { ...lesson, cleanFrom: at }
    },
    belief,
    isSuspect: (now: number) => now - suspectFrom < SUSPICION_MS,
    clampTo(now: number): void {
      suspectFrom = Math.min(suspectFrom, now)
      if (lesson === undefined) return
      const { refusedAt, cleanFrom } = lesson
      lesson = { ...lesson, refusedAt: Math.min(refusedAt, now), cleanFrom: Math.min(cleanFrom, now) }
    },
  }
}
