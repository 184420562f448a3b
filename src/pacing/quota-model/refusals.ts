import { type WindowName, windowLengthMs } from '../../protocol/rate-limits.ts'
import type { PacingOutcome, WaitSource } from '../pacer.ts'

export type Answered = PacingOutcome & { readonly type: 'answered' }

/** After a refusal the gate is shut for a while; then it lets one request through at a time until one succeeds. */
interface Gate {
  readonly source: Exclude<WaitSource, 'ledger'>
  /** The window that the refusal named. */
  readonly window: WindowName | undefined
  /** The window without room: the minute if none was named; undefined if the service is switched off. */
  readonly refusing: WindowName | undefined
  /** What that window has room for after the wait. */
  readonly units: number
  readonly until: number
}

/** What the service's refusals hold back. */
export function createRefusals() {
  let gate: (Gate & { readonly from: number }) | undefined
  let inARow = 0

  return {
    /** @param units the price of the refused request */
    refuse({ at, status, refusedBy: window, holdMs: askedMs }: Answered, units: number): void {
      inARow += 1
      // The service is switched off; a 429 is a quota without room.
      const isOff = status === 503
      const wait = refusalWait(askedMs, window, inARow)
      const until = at + (isOff ? unavailableWaitMs(askedMs, inARow) : wait.ms)
      // Of several requests refused together, the longest wait counts.
      if (gate && gate.until > until) return
      const source = isOff ? 'unavailable' : wait.isGuess ? 'guess' : 'retry-after'
      gate = { source, refusing: isOff ? undefined : (window ?? 'minute'), window, units, from: at, until }
    },
    /** A request that the gate let through was not refused. */
    lift(): void {
      gate = undefined
      inARow = 0
    },
    gate: (): Gate | undefined => gate,
    clampTo(now: number): void {
      if (gate && gate.from > now) gate = { ...gate, from: now, until: now + gate.until - gate.from }
    },
  }
}

/** Added to each wait, because the service's timers may run late. */
const PAD_MS = 250
const SHORTEST_WAIT_MS = 1_000

/** The first wait after a refusal without Retry-After; doubles with each further refusal, up to the window's length. */
const firstGuessMs: Readonly<Record<WindowName, number>> = {
  burst: 5_000,
  minute: 10_000,
  hour: 300_000,
  day: 900_000,
}

/** A longer Retry-After is a mistake of the service and is replaced by a guess. */
const LONGEST_HONOURED_MS = 86_400_000

/**
 * How long to wait after a 429: its Retry-After up to a day, the window's length for a longer one, and a guess that
 * doubles with each refusal in a row if there is none.
 *
 * @param askedMs the parsed Retry-After, if any
 * @param window the window that refused; the minute if unknown
 * @param refusals the number of refusals in a row, from 1; each one doubles the shortest wait of 1 s
 * @returns milliseconds, and whether they are a guess
 */
export function refusalWait(
  askedMs: number | undefined,
  window: WindowName = 'minute',
  refusals: number = 1,
): { readonly ms: number; readonly isGuess: boolean } {
  const longestMs = windowLengthMs[window]
  const doublings = 2 ** Math.min(refusals - 1, 20)
  const isGuess = askedMs === undefined || askedMs > LONGEST_HONOURED_MS
  const least = Math.min(SHORTEST_WAIT_MS * doublings, longestMs)
  if (!isGuess) return { ms: Math.max(askedMs, least) + PAD_MS, isGuess }
  const guess = askedMs === undefined ? Math.min(firstGuessMs[window] * doublings, longestMs) : longestMs
  return { ms: guess + PAD_MS, isGuess }
}

/** The wait after a 503 whose Retry-After is longer than a day. */
const UNAVAILABLE_GUESS_MS = 3_600_000
const LONGEST_BACKOFF_MS = 30_000

/**
 * How long to wait after a 503: its Retry-After up to a day, an hour for a longer one.
 *
 * @param askedMs the parsed Retry-After, if any
 * @param refusals the number of refusals in a row, from 1
 * @returns milliseconds, at least 1,250
 */
export function unavailableWaitMs(askedMs: number | undefined, refusals: number): number {
  const backoffMs = Math.min(SHORTEST_WAIT_MS * 2 ** Math.min(refusals - 1, 20), LONGEST_BACKOFF_MS)
  const isHonoured = askedMs === undefined || askedMs <= LONGEST_HONOURED_MS
  return (isHonoured ? Math.max(askedMs ?? 0, backoffMs) : UNAVAILABLE_GUESS_MS) + PAD_MS
}

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
export function createLearnedLimit(name: WindowName, isGiven: boolean) {
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
