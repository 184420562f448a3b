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

export interface DatedMinuteUse extends MinuteUse {
  /** The earliest instant at which the window can have begun, if windows begin with their first charge. */
  readonly windowFrom: number
}

/** What is certain when an answer arrives. */
export interface Certainty {
  readonly lengthMs: number
  /** Requests answered before this one was sent. */
  readonly earlier: readonly DatedMinuteUse[]
  /** Undefined until an answer has a Date. */
  readonly offset: ClockOffset | undefined
}

/** A service that counts in whole seconds may forget a charge this much sooner. */
const WHOLE_SECOND_MS = 1_000

/** Every unit of the last length is shown, ours and others'. */
export function unitsOfTheLength({ answeredAt }: MinuteUse, { earlier, lengthMs }: Certainty): number {
  const since = answeredAt - lengthMs + WHOLE_SECOND_MS
  return unitsSince(earlier, since) + foreignSince(since, earlier, lengthMs)
}

/** Used units stay used until the window ends. */
export function stillUsed({ answeredAt }: MinuteUse, { earlier, lengthMs }: Certainty): number {
  const sameWindow = earlier.filter(({ windowFrom }) => answeredAt < windowFrom + lengthMs - WHOLE_SECOND_MS)
  return Math.max(0, ...sameWindow.map((seen) => seen.used + unitsAfter(earlier, seen.answeredAt)))
}

/** A token bucket, and a sliding counter that never exceeded its limit, return at most the limit within one length. */
export function notYetBack({ answeredAt, limit }: MinuteUse, { earlier, lengthMs }: Certainty): number {
  const left = earlier.map(({ sentAt, answeredAt: seenAt, used }) => {
    const since = Math.max(unitsSince(earlier, sentAt), used + unitsAfter(earlier, seenAt))
    return since - ((answeredAt - sentAt + WHOLE_SECOND_MS) * limit) / lengthMs
  })
  return Math.max(0, ...left)
}

export function unitsSince(charges: readonly CertainCharge[], instant: number): number {
  return charges.reduce((sum, { sentAt, units }) => (sentAt >= instant ? sum + units : sum), 0)
}

/** Units of requests sent after an instant; one sent and answered at that instant is part of its answer already. */
function unitsAfter(charges: readonly CertainCharge[], instant: number): number {
  return charges.reduce((sum, { sentAt, units }) => (sentAt > instant ? sum + units : sum), 0)
}

/**
 * The fewest units that other users of the key were charged after an instant, if each charge counts for one length. Our
 * charges are multiples of a common divisor, so the remainder of an answer's use is certainly theirs; at most, everything
 * is theirs that is not certainly ours. If a later answer has more of theirs than an earlier one can have had, they were
 * charged between the two.
 */
function foreignSince(instant: number, earlier: readonly MinuteUse[], lengthMs: number): number {
  const common = earlier.reduce((so, { units }) => greatestCommonDivisor(so, units), 0)
  let most = 0
  for (const before of earlier.filter(({ sentAt }) => sentAt >= instant)) {
    const sooner = earlier.filter(({ answeredAt }) => answeredAt < before.sentAt)
    const ours = before.units + unitsSince(sooner, before.answeredAt - lengthMs + WHOLE_SECOND_MS)
    const later = earlier.filter(({ sentAt }) => sentAt > before.answeredAt)
    most = Math.max(most, ...later.map(({ used }) => (used % common) - (before.used - ours)))
  }
  return most
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other)
}

/** The least that is shown, wherever the clock's period may have begun; 0 where that is unknown. */
export function leastOverStarts(use: MinuteUse, known: Certainty, shownIf: (start: number) => number): number {
  const starts = possibleStarts(use, known)
  return starts.length === 0 ? 0 : Math.min(...starts.map(shownIf))
}

/**
 * When the clock's period of an answer may have begun: the earliest and the latest instant, and each one between them at
 * which one charge leaves the period. Because later charges weigh more, the arrival time gives the smallest possible use.
 */
function possibleStarts({ answeredAt }: MinuteUse, { earlier, offset, lengthMs }: Certainty): readonly number[] {
  if (offset === undefined) return []
  const startBy = (ahead: number) => answeredAt - modulo(answeredAt + ahead, lengthMs)
  const leaving = [answeredAt, ...earlier.map(({ sentAt }) => sentAt + 1)]
  const between = leaving
    .map((instant) => offset.least + modulo(-instant - offset.least, lengthMs))
    .filter((ahead) => ahead < offset.most)
  return [offset.least, offset.most, ...between].map(startBy)
}

function modulo(value: number, by: number): number {
  return value - Math.floor(value / by) * by
}

/**
 * Where windows begin with their first charge, used units stay used until the window ends. So an answer's window began
 * after each charge that the answer does not show, and after each earlier answer whose use it does not include.
 */
export function windowFrom({ sentAt, used, units }: MinuteUse, earlier: readonly DatedMinuteUse[]): number {
  if (used <= units) return sentAt
  const isBefore = (seen: DatedMinuteUse) =>
    units + unitsSince(earlier, seen.sentAt) > used || units + seen.used + unitsAfter(earlier, seen.answeredAt) > used
  return Math.max(Number.NEGATIVE_INFINITY, ...earlier.filter(isBefore).map((seen) => seen.sentAt))
}
