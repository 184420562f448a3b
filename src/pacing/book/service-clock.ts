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
const DATE_STEP_MS = 1_000
/** The machine that counts need not be the one that writes the Date header. */
const SLACK_MS = 100

/**
 * Narrows down the offset by an answer. An answer that contradicts what is known means that a clock was set: it alone
 * counts from then on.
 *
 * @param serverNow the answer's Date header; written at some instant between sending and answer
 */
export function narrowOffset(
  earlier: ClockOffset | undefined,
  {
    serverNow,
    sentAt,
    answeredAt: at,
  }: { readonly serverNow: number; readonly sentAt: number; readonly answeredAt: number },
): ClockOffset {
  const told = { least: serverNow - at - SLACK_MS, most: serverNow + DATE_STEP_MS - sentAt + SLACK_MS, at }
  if (earlier === undefined) return told
  const known = agedOffset(earlier, at)
  const both = { least: Math.max(known.least, told.least), most: Math.min(known.most, told.most), at }
  return both.least <= both.most ? both : told
}

/** What is left to be known of an offset after a while. */
export function agedOffset({ least, most, at }: ClockOffset, now: number): ClockOffset {
  const drift = Math.max(now - at, 0) * DRIFT
  return { least: least - drift, most: most + drift, at: Math.max(now, at) }
}
