import { type WindowName, windowLengthMs } from '../../protocol/rate-limits.ts'

/** A limit that a refusal has taught. */
interface Lesson {
  readonly units: number
  readonly at: number
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

/** How a limit is unlearned: so much more of it after each step without a refusal. */
function growthOf(name: WindowName, isGiven: boolean): { readonly factor: number; readonly stepMs: number } {
  if (isGiven) return { factor: Number.POSITIVE_INFINITY, stepMs: windowLengthMs[name] }
  // A burst is over soon. For less than two minutes, those who send small requests all the time would refuse again.
  if (name === 'burst') return { factor: Number.POSITIVE_INFINITY, stepMs: 120_000 }
  return { factor: 1.25, stepMs: Math.max(windowLengthMs[name], 300_000) }
}

/** What refusals teach of one window: less than its limit may be free for us. It is unlearned step by step. */
export function createLimitLesson(name: WindowName, { isGiven }: LimitLessonOptions) {
  const { factor, stepMs } = growthOf(name, isGiven)
  let lesson: Lesson | undefined

  /** Undefined where all of a limit is believed. */
  function belief(limit: number, now: number): Belief | undefined {
    if (lesson === undefined) return undefined
    const steps = Math.max(Math.floor((now - lesson.at) / stepMs), 0)
    const believed = steps === 0 ? lesson.units : lesson.units * factor ** steps
    if (believed >= limit) return undefined
    return { limit: Math.floor(believed), until: lesson.at + (steps + 1) * stepMs }
  }

  return {
    /**
     * @param used what the window held by our own count when it refused
     * @param dearest what the dearest request costs: with less than that believed it could not be paced at all
     */
    learn(used: number, limit: number, dearest: number, at: number): void {
      lesson = { units: Math.max(used, limit * LEAST_SHARE, dearest), at }
    },
    belief,
    isSuspect: (now: number) => lesson !== undefined && now - lesson.at < SUSPICION_MS,
    clampTo(now: number): void {
      if (lesson && lesson.at > now) lesson = { ...lesson, at: now }
    },
  }
}
