import type { ClockOffset } from '../clock-offset.ts'

/** A request that was certainly charged between these two instants. */
export interface CertainCharge {
  readonly sentAt: number
  readonly answeredAt: number
  readonly units: number
}

/** The minute's use by an answer: `used` units, the answered request's included. */
export interface MinuteUse extends CertainCharge {
  readonly used: number
  /** In units. */
  readonly limit: number
}

/** An answer, and what it lets later ones expect. Units. */
export interface EarlierUse extends MinuteUse {
  /** The earliest instant at which the window can have begun, if windows begin with their first charge. */
  readonly windowFrom: number
  /** The most of its use that can be others', if each charge counts for one length. */
  readonly foreignAtMost: number
}

/** What is certain when an answer arrives. */
export interface Certainty {
  readonly lengthMs: number
  /** Requests answered before this one was sent. */
  readonly earlier: readonly EarlierUse[]
  /** Undefined until an answer has a Date. */
  readonly offset: ClockOffset | undefined
}

/** A service that counts in whole seconds may forget a charge this much sooner. */
const WHOLE_SECOND_MS = 1_000

/** What later answers are compared with. */
export function rememberedUse(use: MinuteUse, known: Certainty): EarlierUse {
  const { answeredAt, units, used } = use
  const { earlier, lengthMs } = known
  const ours = unitsSince(earlier, answeredAt - lengthMs + WHOLE_SECOND_MS)
  return { ...use, windowFrom: windowFrom(use, known), foreignAtMost: used - units - ours }
}

/** Every unit of the last length is shown, ours and others'. */
export function unitsOfTheLength({ answeredAt }: MinuteUse, { earlier, lengthMs }: Certainty): number {
  const since = answeredAt - lengthMs + WHOLE_SECOND_MS
  return unitsSince(earlier, since) + foreignSince(since, earlier)
}

/** Used units stay used until the window ends. */
export function stillUsed({ answeredAt }: MinuteUse, { earlier, lengthMs }: Certainty): number {
  const isSame = ({ windowFrom }: EarlierUse) => answeredAt < windowFrom + lengthMs - WHOLE_SECOND_MS
  return Math.max(0, ...earlier.filter(isSame).map((seen) => shownSince(seen, earlier)))
}

/** A token bucket, and a sliding counter that never exceeded its limit, return at most the limit within one length. */
export function notYetBack({ answeredAt, limit }: MinuteUse, { earlier, lengthMs }: Certainty): number {
  const returned = ({ sentAt }: EarlierUse) => ((answeredAt - sentAt + WHOLE_SECOND_MS) * limit) / lengthMs
  return Math.max(0, ...earlier.map((seen) => leastSince(seen, earlier) - returned(seen)))
}

/** What an answer showed and what was certainly charged after it. A request sent at its very instant is part of it already. */
function shownSince({ used, answeredAt }: EarlierUse, earlier: readonly EarlierUse[]): number {
  return used + earlier.reduce((sum, { sentAt, units }) => (sentAt > answeredAt ? sum + units : sum), 0)
}

/** The fewest units that were used since an earlier request was sent, by its answer and by its sending. */
function leastSince(seen: EarlierUse, earlier: readonly EarlierUse[]): number {
  return Math.max(unitsSince(earlier, seen.sentAt), shownSince(seen, earlier))
}

export function unitsSince(charges: readonly CertainCharge[], instant: number): number {
  let sum = 0
  for (const { sentAt, units } of charges) if (sentAt >= instant) sum += units
  return sum
}

/**
 * The fewest units that other users of the key were charged after an instant, if each charge counts for one length. Our
 * charges are multiples of a common divisor, so the remainder of an answer's use is certainly theirs; at most, everything
 * is theirs that is not certainly ours. If a later answer has more of theirs than an earlier one can have had, they were
 * charged between the two.
 */
function foreignSince(instant: number, earlier: readonly EarlierUse[]): number {
  const common = earlier.reduce((so, { units }) => greatestCommonDivisor(so, units), 0)
  const theirs = earlier.reduce((most, { used }) => Math.max(most, used % common), 0)
  let most = 0
  for (const before of earlier) {
    if (before.sentAt < instant || before.foreignAtMost >= theirs) continue
    for (const { sentAt, used } of earlier) {
      if (sentAt > before.answeredAt) most = Math.max(most, (used % common) - before.foreignAtMost)
    }
  }
  return most
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other)
}

/**
 * The least that is shown, wherever the clock's period of an answer may have begun; 0 where that is unknown. It may have begun
 * at the earliest and the latest instant, and at each one between them at which one charge leaves the period. Because later
 * charges weigh more, the arrival time gives the smallest possible use.
 */
export function leastOverStarts(
  { answeredAt }: MinuteUse,
  { earlier, offset, lengthMs }: Certainty,
  shownIf: (start: number) => number,
): number {
  if (offset === undefined) return 0
  const leave = (instant: number) => offset.least + modulo(-instant - offset.least, lengthMs)
  const leaving = [answeredAt, ...earlier.map(({ sentAt }) => sentAt + 1)].map(leave)
  const aheads = [offset.least, offset.most, ...leaving.filter((ahead) => ahead < offset.most)]
  return Math.min(...aheads.map((ahead) => shownIf(answeredAt - modulo(answeredAt + ahead, lengthMs))))
}

function modulo(value: number, by: number): number {
  return value - Math.floor(value / by) * by
}

/**
 * Where windows begin with their first charge, used units stay used until the window ends. So an answer's window began
 * after each charge that the answer does not show, and after each earlier answer whose use it does not include.
 */
function windowFrom({ sentAt, used, units }: MinuteUse, { earlier }: Certainty): number {
  if (used <= units) return sentAt
  const before = earlier.filter((seen) => units + leastSince(seen, earlier) > used)
  return Math.max(Number.NEGATIVE_INFINITY, ...before.map((seen) => seen.sentAt))
}
