/** By how much the service's clock is ahead of this machine's: between `least` and `most` milliseconds. */
export interface ClockOffset {
  readonly least: number
  readonly most: number
  /** When these bounds held, in epoch milliseconds. */
  readonly at: number
}

/** Two clocks drift apart by less than this share of the time that passes. */
export const DRIFT = 1 / 10_000

/** The Date header has whole seconds, rounded down. */
export const DATE_STEP_MS = 1_000
/** The machine that counts units may not be the one that writes the Date header. */
const SLACK_MS = 100

/** An answer's Date header, written between sending and answer; all in epoch milliseconds. */
export interface ToldTime {
  readonly serverNow: number
  readonly sentAt: number
  readonly answeredAt: number
}

/** The offset by one answer alone. */
export function toldOffset({ serverNow, sentAt, answeredAt: at }: ToldTime): ClockOffset {
  return { least: serverNow - at - SLACK_MS, most: serverNow + DATE_STEP_MS - sentAt + SLACK_MS, at }
}

/** The offset by both; undefined where they contradict each other because a clock was set. */
export function bothOffsets(earlier: ClockOffset, told: ClockOffset): ClockOffset | undefined {
  const known = agedOffset(earlier, told.at)
  const both = { ...told, least: Math.max(known.least, told.least), most: Math.min(known.most, told.most) }
  return both.least <= both.most ? both : undefined
}

/** An offset's bounds after clocks may have drifted apart since. */
export function agedOffset({ least, most, at }: ClockOffset, now: number): ClockOffset {
  const drift = Math.max(now - at, 0) * DRIFT
  return { least: least - drift, most: most + drift, at: Math.max(now, at) }
}
