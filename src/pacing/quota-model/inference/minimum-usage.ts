import type { ClockOffset } from '../service-clock.ts'
import type { WindowKind } from '../window-kinds.ts'

/** A request that was certainly charged, some time between these two instants. */
export interface CertainCharge {
  readonly sentAt: number
  readonly answeredAt: number
  readonly units: number
}

/** What an answer said of its minute: so many units are in use, itself included. */
export interface MinuteSighting extends CertainCharge {
  readonly used: number
  /** In units. */
  readonly limit: number
}

export interface DatedSighting extends MinuteSighting {
  /** The earliest instant at which its window can have begun, should windows begin with their first charge. */
  readonly windowFrom: number
}

/** What is certain as an answer comes. */
export interface Certainty {
  readonly lengthMs: number
  /** Answered before the request was sent. */
  readonly earlier: readonly DatedSighting[]
  /** Undefined where no answer has told the service's time. */
  readonly offset: ClockOffset | undefined
}

/** A service may count in whole seconds, and so forget a second sooner. */
const COARSEST_SECOND_MS = 1_000

/** How many units of earlier requests a window of each kind would show at the least; none where nothing is certain. */
export const leastUse: Readonly<Record<WindowKind, (sighting: MinuteSighting, known: Certainty) => number>> = {
  log({ answeredAt }, { earlier, lengthMs }) {
    const since = answeredAt - lengthMs + COARSEST_SECOND_MS
    return unitsSince(earlier, since) + foreignSince(since, earlier, lengthMs)
  },
  fixed({ answeredAt }, { earlier, lengthMs }) {
    const sameWindow = earlier.filter(({ windowFrom }) => answeredAt < windowFrom + lengthMs - COARSEST_SECOND_MS)
    return Math.max(0, ...sameWindow.map((seen) => seen.used + unitsAfter(earlier, seen.answeredAt)))
  },
  aligned(sighting, known) {
    return leastOf(possibleStarts(sighting, known).map((start) => unitsSince(known.earlier, start)))
  },
  counter(sighting, known) {
    const { earlier, lengthMs } = known
    const shownIf = (start: number) => {
      const present = unitsSince(earlier, start)
      const before = unitsSince(earlier, start - lengthMs) - present
      return present + before * (1 - (sighting.answeredAt - start) / lengthMs)
    }
    return Math.max(leastOf(possibleStarts(sighting, known).map(shownIf)), notYetBack(sighting, known))
  },
  bucket: notYetBack,
}

/** In a bucket, and in a counter that never took more than its limit, a limit comes back in a length and no sooner. */
function notYetBack({ answeredAt, limit }: MinuteSighting, { earlier, lengthMs }: Certainty): number {
  const left = earlier.map(({ sentAt, answeredAt: seenAt, used }) => {
    const since = Math.max(unitsSince(earlier, sentAt), used + unitsAfter(earlier, seenAt))
    return since - ((answeredAt - sentAt + COARSEST_SECOND_MS) * limit) / lengthMs
  })
  return Math.max(0, ...left)
}

function unitsSince(charges: readonly CertainCharge[], instant: number): number {
  return charges.reduce((sum, { sentAt, units }) => (sentAt >= instant ? sum + units : sum), 0)
}

/** Of a request that was sent and answered at one instant, that instant's answer tells already. */
function unitsAfter(charges: readonly CertainCharge[], instant: number): number {
  return charges.reduce((sum, { sentAt, units }) => (sentAt > instant ? sum + units : sum), 0)
}

/**
 * What others have been charged after an instant, should every charge count for a window's length. Ours are multiples of
 * what all of ours have in common, so what is left over of an answer's use is certainly theirs; at the most, all of it is
 * that is not certainly ours. If an answer has more of theirs than one before it could have, it came between the two.
 */
function foreignSince(instant: number, earlier: readonly MinuteSighting[], lengthMs: number): number {
  const common = earlier.reduce((so, { units }) => greatestCommonDivisor(so, units), 0)
  let most = 0
  for (const before of earlier.filter(({ sentAt }) => sentAt >= instant)) {
    const sooner = earlier.filter(({ answeredAt }) => answeredAt < before.sentAt)
    const ours = before.units + unitsSince(sooner, before.answeredAt - lengthMs + COARSEST_SECOND_MS)
    const later = earlier.filter(({ sentAt }) => sentAt > before.answeredAt)
    most = Math.max(most, ...later.map(({ used }) => (used % common) - (before.used - ours)))
  }
  return most
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other)
}

function leastOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : Math.min(...values)
}

/**
 * When the clock's period may have begun in which an answer came: as early and as late as can be, and at each instant
 * in between from which one charge fewer is in it. Later charges fade less, so of all instants at which the answer may
 * have been decided on, its coming shows least.
 */
function possibleStarts({ answeredAt }: MinuteSighting, { earlier, offset, lengthMs }: Certainty): readonly number[] {
  if (offset === undefined) return []
  const startBy = (ahead: number) => answeredAt - modulo(answeredAt + ahead, lengthMs)
  const turns = [answeredAt, ...earlier.map(({ sentAt }) => sentAt + 1)]
  const between = turns
    .map((instant) => offset.least + modulo(-instant - offset.least, lengthMs))
    .filter((ahead) => ahead < offset.most)
  return [offset.least, offset.most, ...between].map(startBy)
}

function modulo(value: number, by: number): number {
  return value - Math.floor(value / by) * by
}

/**
 * Where windows begin with their first charge, an answer's window began after every charge that it does not show, and
 * after every earlier answer that it does not add up to: what is used in a window stays used until its end.
 */
export function windowFrom({ sentAt, used, units }: MinuteSighting, earlier: readonly DatedSighting[]): number {
  if (used <= units) return sentAt
  const isBefore = (seen: DatedSighting) =>
    units + unitsSince(earlier, seen.sentAt) > used || units + seen.used + unitsAfter(earlier, seen.answeredAt) > used
  return Math.max(Number.NEGATIVE_INFINITY, ...earlier.filter(isBefore).map((seen) => seen.sentAt))
}
