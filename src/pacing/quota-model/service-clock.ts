/** By how much the service's clock is ahead of this machine's, in milliseconds: somewhere between the two. */
export interface ClockOffset {
  readonly least: number
  readonly most: number
  /** When that was known, in epoch milliseconds. */
  readonly at: number
}

/** Two clocks drift apart by less than this share of the time. */
export const DRIFT = 1 / 10_000

/** The Date header knows whole seconds, cut off. */
export const DATE_STEP_MS = 1_000
/** The machine that counts need not be the one that writes the Date header. */
const SLACK_MS = 100

/** An answer's Date header, written at some instant between sending and answer; all in epoch milliseconds. */
export interface ToldTime {
  readonly serverNow: number
  readonly sentAt: number
  readonly answeredAt: number
}

/** What one answer alone says of the offset. */
export function toldOffset({ serverNow, sentAt, answeredAt: at }: ToldTime): ClockOffset {
  return { least: serverNow - at - SLACK_MS, most: serverNow + DATE_STEP_MS - sentAt + SLACK_MS, at }
}

/** What is known of the offset by both; undefined where they contradict each other, for a clock was set. */
export function bothOffsets(earlier: ClockOffset, told: ClockOffset): ClockOffset | undefined {
  const known = agedOffset(earlier, told.at)
  const both = { ...told, least: Math.max(known.least, told.least), most: Math.min(known.most, told.most) }
  return both.least <= both.most ? both : undefined
}

/**
 * Narrows down the offset by an answer. An answer that contradicts what is known means that a clock was set: it alone
 * counts from then on.
 */
export function narrowOffset(earlier: ClockOffset | undefined, answer: ToldTime): ClockOffset {
  const told = toldOffset(answer)
  return (earlier && bothOffsets(earlier, told)) ?? told
}

/** What is left to be known of an offset after a while. */
export function agedOffset({ least, most, at }: ClockOffset, now: number): ClockOffset {
  const drift = Math.max(now - at, 0) * DRIFT
  return { least: least - drift, most: most + drift, at: Math.max(now, at) }
}
