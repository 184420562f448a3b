import { type WindowName, windowLengthMs } from '../../protocol/rate-limits.ts'

/** A limit that a refusal has taught. */
interface Lesson {
  readonly units: number
  readonly refusedAt: number
  /** Since when no refusal has spoken for it, and no use by others: so long is it unlearned. */
  readonly cleanFrom: number
  /** A step of unlearning. */
  readonly stepMs: number
}

/** What is known of a window as it refuses. */
export interface Refused {
  /** What it held by our own count, in units. */
  readonly used: number
  readonly limit: number
  /** What the dearest request costs: with less than that believed it could not be paced at all. */
  readonly dearest: number
  /** Whether our own use explains the refusal, should the window be a counter. */
  readonly isOurs: boolean
}

/** What is believed of a limit for a while. */
export interface Belief {
  /** In units. */
  readonly limit: number
  /** Epoch milliseconds; then more is believed, or all of it. */
  readonly until: number
}

export interface LimitLessonOptions {
  /** Whether a person has named the limit: then it is doubted for one window at the most. */
  readonly isGiven: boolean
}

/** Less than this share of a limit is not believed: whatever was in use beyond it, others may have used. */
const LEAST_SHARE = 0.25
/** Once refused, a window is taken for one that remembers longer for so long. */
const SUSPICION_MS = 86_400_000

/** A burst is over soon, and so is what it teaches of its limit; use by others speaks for it for six steps. */
const BURST_STEP_MS = 20_000
const BURST_LESSON_STEPS = 6
/** A burst that refuses again within so long is used by others all the time: each step takes longer than before. */
const BURST_RECURS_MS = 7_200_000
const BURST_RECURS_FACTOR = 4
const LONGEST_BURST_STEP_MS = 3_600_000

/** What refusals teach of one window: less than its limit may be free for us. It is unlearned step by step. */
export function createLimitLesson(name: WindowName, { isGiven }: LimitLessonOptions) {
  const isBurst = name === 'burst'
  const growth = isBurst ? 1.5 : 1.25
  let lesson: Lesson | undefined
  let suspectFrom = Number.NEGATIVE_INFINITY

  function nextStepMs(at: number): number {
    if (!isBurst) return Math.max(windowLengthMs[name], 300_000)
    if (lesson === undefined || at - lesson.refusedAt > BURST_RECURS_MS) return BURST_STEP_MS
    return Math.min(lesson.stepMs * BURST_RECURS_FACTOR, LONGEST_BURST_STEP_MS)
  }

  /** Undefined where all of a limit is believed. */
  function belief(limit: number, now: number): Belief | undefined {
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
    /** Others use the key: while a burst is unlearned, that begins again. The other windows are unlearned slowly as it is. */
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
