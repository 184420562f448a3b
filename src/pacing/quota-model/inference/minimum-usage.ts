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
  /** Its use and what was charged for requests sent after it. One sent at its very instant is part of it already. */
  shown: number
  /** What was charged for its request and for those sent at that instant or later. */
  since: number
}

/** What is certain when an answer arrives. */
export interface Certainty {
  readonly lengthMs: number
  /** Requests answered before this one was sent. */
  readonly earlier: readonly EarlierUse[]
  /** Those answered meanwhile, of which nothing is certain: `shown` and `since` of the earlier ones contain them. */
  readonly meanwhile: readonly EarlierUse[]
  /** Undefined until an answer has a Date. */
  readonly offset: ClockOffset | undefined
}

/** A service that counts in whole seconds may forget a charge this much sooner. */
const WHOLE_SECOND_MS = 1_000

/** What later answers are compared with. Counts a request in the answers before it. */
export function rememberedUse(use: MinuteUse, known: Certainty): EarlierUse {
  const { sentAt, answeredAt, units, used } = use
  const { earlier, meanwhile, lengthMs } = known
  const remembered = {
    ...use,
    windowFrom: windowFrom(use, known),
    foreignAtMost: used - units - unitsSince(earlier, answeredAt - lengthMs + WHOLE_SECOND_MS),
    shown: used + unitsAfter(meanwhile, answeredAt),
    since: units + unitsSince(meanwhile, sentAt),
  }
  for (const answers of [earlier, meanwhile]) {
    for (const seen of answers) {
      if (sentAt > seen.answeredAt) seen.shown += units
      if (sentAt >= seen.sentAt) seen.since += units
    }
  }
  return remembered
}

/** Every unit of the last length is shown, ours and others'. */
export function unitsOfTheLength({ answeredAt }: MinuteUse, { earlier, lengthMs }: Certainty): number {
  const since = answeredAt - lengthMs + WHOLE_SECOND_MS
  return unitsSince(earlier, since) + foreignSince(since, earlier)
}

/** Used units stay used until the window ends. */
export function stillUsed({ answeredAt }: MinuteUse, { earlier, meanwhile, lengthMs }: Certainty): number {
  let most = 0
  for (const seen of earlier) {
    if (answeredAt < seen.windowFrom + lengthMs - WHOLE_SECOND_MS) most = Math.max(most, shownOf(seen, meanwhile))
  }
  return most
}

/** A token bucket, and a sliding counter that never exceeded its limit, return at most the limit within one length. */
export function notYetBack({ answeredAt, limit }: MinuteUse, { earlier, meanwhile, lengthMs }: Certainty): number {
  let most = 0
  for (const seen of earlier) {
    const returned = ((answeredAt - seen.sentAt + WHOLE_SECOND_MS) * limit) / lengthMs
    most = Math.max(most, leastOf(seen, meanwhile) - returned)
  }
  return most
}

/** What an earlier answer showed and all that was certainly charged since. */
function shownOf({ shown, answeredAt }: EarlierUse, meanwhile: readonly EarlierUse[]): number {
  return shown - unitsAfter(meanwhile, answeredAt)
}

/** The fewest units that were used since an earlier request was sent, by its answer and by its sending. */
function leastOf(seen: EarlierUse, meanwhile: readonly EarlierUse[]): number {
  return Math.max(seen.since - unitsSince(meanwhile, seen.sentAt), shownOf(seen, meanwhile))
}

export function unitsSince(charges: readonly CertainCharge[], instant: number): number {
  let sum = 0
  for (const { sentAt, units } of charges) if (sentAt >= instant) sum += units
  return sum
}

function unitsAfter(charges: readonly CertainCharge[], instant: number): number {
  let sum = 0
  for (const { sentAt, units } of charges) if (sentAt > instant) sum += units
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
  const aheads = [offset.least, offset.most]
  const leave = (instant: number) => {
    const ahead = offset.least + modulo(-instant - offset.least, lengthMs)
    if (ahead < offset.most) aheads.push(ahead)
  }
  leave(answeredAt)
  for (const { sentAt } of earlier) leave(sentAt + 1)
  return aheads.map((ahead) => answeredAt - modulo(answeredAt + ahead, lengthMs))
}

function modulo(value: number, by: number): number {
  return value - Math.floor(value / by) * by
}

/**
 * Where windows begin with their first charge, used units stay used until the window ends. So an answer's window began
 * after each charge that the answer does not show, and after each earlier answer whose use it does not include.
 */
function windowFrom({ sentAt, used, units }: MinuteUse, { earlier, meanwhile }: Certainty): number {
  if (used <= units) return sentAt
  let from = Number.NEGATIVE_INFINITY
  for (const seen of earlier) if (units + leastOf(seen, meanwhile) > used) from = Math.max(from, seen.sentAt)
  return from
}
