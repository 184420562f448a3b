import { type WindowName, windowLengthMs } from '../../protocol/rate-limits.ts'

/** A limit that a refusal has taught. */
interface Lesson {
  readonly units: number
  readonly at: number
}

/** Less than this share of a limit is not believed: whatever was in use beyond it, others may have used. */
const LEAST_SHARE = 0.25
const GROWTH = 1.25
const SHORTEST_CLEAN_MS = 300_000
/** Once refused, a window is taken for one that remembers longer for so long. */
const SUSPICION_MS = 86_400_000

/** What refusals teach of one window: less than its limit may be free for us. It is unlearned step by step. */
export function createLimitLesson(name: WindowName) {
  const stepMs = Math.max(windowLengthMs[name], SHORTEST_CLEAN_MS)
  let lesson: Lesson | undefined

  return {
    /** @param used what the window held by our own count when it refused */
    learn(used: number, limit: number, at: number): void {
      lesson = { units: Math.max(used, limit * LEAST_SHARE), at }
    },
    limit(limit: number, now: number): number {
      if (lesson === undefined) return limit
      const steps = Math.max(Math.floor((now - lesson.at) / stepMs), 0)
      return Math.floor(Math.min(lesson.units * GROWTH ** steps, limit))
    },
    isSuspect: (now: number) => lesson !== undefined && now - lesson.at < SUSPICION_MS,
    clampTo(now: number): void {
      if (lesson && lesson.at > now) lesson = { ...lesson, at: now }
    },
  }
}
