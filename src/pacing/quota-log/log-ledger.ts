import { type Clock, steadyMs } from '../../clock.ts'
import { writerOf } from '../../log/log.ts'
import { createQueue } from '../../system/queue.ts'
import type { Later, Ledger, Reservation, Verdict } from '../ledger.ts'
import { movedQuota } from '../memory-ledger.ts'
import { nap } from '../nap.ts'
import type { PacingOutcome } from '../pacer.ts'
import { createLedgerFold } from './ledger-fold.ts'
import { type LedgerLine, lastingReport, type PlaceLine, type ReserveLine } from './ledger-line.ts'
import type { QuotaHome } from './quota-home.ts'

/** A request of this process that is under way. */
interface Mine {
  line: ReserveLine
  /** By the clock's monotonic time. */
  readonly since: number
  /** The date with which it was added to another log, later than it began. */
  redatedTo?: number
  /** Whether others took this process for gone, and counted the request as charged. */
  isGivenUp: boolean
  isSettling: boolean
}

/** Spreads the next tries of processes that lost to the same reservation. */
const JITTER_MS = 100
/** An outcome written this much later than it happened, as by a suspended process, is dated to the time of writing. */
const LATE_MS = 1_000

/**
 * A ledger whose entries are the lines of a log that other processes write to as well. The lines before a reservation decide
 * whether it is granted; processes whose lines come after it see it.
 */
export function createLogLedger({ clock, home }: { readonly clock: Clock; readonly home: QuotaHome }): Ledger {
  const { name, owner } = home
  const isLimited = Object.keys(home.createModel().windows(0)).length > 0
  const mine = new Map<string, Mine>()
  /** Lines of this process that are being appended, with what the lines before a reservation say. */
  const asked = new Map<string, Verdict>()
  const sleepers = new Set<() => void>()
  /** One reservation at a time. */
  const inTurn = createQueue()
  /** Where this process waits. */
  let place: PlaceLine | undefined
  let named = 0
  let endings = 0
  let denied: { readonly endings: number; readonly at: number | undefined } = { endings: 0, at: undefined }

  const fold = createLedgerFold(home.createModel, {
    onRoom(endedId) {
      const own = mine.get(endedId ?? '')
      if (own?.isSettling) mine.delete(own.line.id)
      else if (own) own.isGivenUp = true
      endings += 1
      for (const wake of sleepers) wake()
    },
    beforeReserve({ id }, verdict) {
      if (asked.has(id)) asked.set(id, verdict())
    },
  })
  const log = home.open(fold, { missing, isIdle: () => mine.size === 0 && place === undefined })

  /** The two agree on what is this process's: what only the log has is cancelled, what only the process has is added. */
  function missing(isAnother: boolean): readonly LedgerLine[] {
    const held = new Set([...mine.keys(), ...[...mine.values()].map(({ line }) => line.place), place?.id])
    const unheld = [...fold.inFlight.values(), ...fold.waiting()].filter(
      ({ id }) => writerOf(id) === name && !held.has(id) && !asked.has(id),
    )
    const lines: LedgerLine[] = unheld.map(({ id }) => ({ type: 'cancel', id }))
    for (const own of mine.values()) {
      if (own.isGivenUp || asked.has(own.line.id) || fold.inFlight.has(own.line.id)) continue
      if (isAnother) {
        own.redatedTo = log.now()
        own.line = { ...own.line, at: own.redatedTo }
      }
      lines.push(own.line)
    }
    // Others may have taken this process for gone: then the name of its place is used up.
    if (place && !asked.has(place.id) && !fold.isWaiting(place.id)) {
      place = { ...place, id: newId(), at: log.now() }
      lines.push(place)
    }
    return lines
  }

  function newId(): string {
    named += 1
    return `${name}.${named}`
  }

  async function appendAsking(line: ReserveLine | PlaceLine): Promise<Verdict> {
    asked.set(line.id, { type: 'now' })
    try {
      await log.append([line])
      return asked.get(line.id) ?? { type: 'now' }
    } finally {
      asked.delete(line.id)
    }
  }

  /**
   * Waits in the queue of all processes from now on. A place keeps its rank when another request takes it over. Others may
   * have passed one that was overtaken: told again, it counts again.
   */
  async function takePlace(cost: number): Promise<void> {
    const isThere = place !== undefined && fold.isWaiting(place.id)
    if (isThere && place?.cost === cost && !fold.isOvertaken(place.id)) return
    place = { type: 'place', id: isThere && place ? place.id : newId(), at: log.now(), cost, owner }
    await appendAsking(place)
  }

  const verdictOf = (cost: number, now: number): Verdict => resting() ?? fold.verdict(cost, now, place?.id)

  function resting(): Later | undefined {
    const at = log.restsUntil()
    return isLimited && log.now() < at ? { type: 'later', at, window: undefined, source: 'ledger' } : undefined
  }

  /** After this time others may have made room since the log was read. */
  const staleInMs = (at: number | undefined) =>
    log.readAt() + log.pollMs(at && at - log.now(), fold.ahead(place?.id)) - steadyMs(clock)

  async function tryReserve(cost: number, asOf: number): Promise<Reservation> {
    if (log.isNear) await log.read()
    const reason = fold.model().neverFits(cost)
    if (reason !== undefined) return { type: 'never', reason }
    const now = () => Math.max(asOf + log.aheadMs(), log.now())
    // A reservation brings what is new along.
    if (!log.isNear && staleInMs(undefined) < 0 && verdictOf(cost, now()).type === 'later') await log.read()
    const verdict = verdictOf(cost, now())
    if (verdict.type === 'later') return await deny(cost, asOf, verdict)
    const monotonic = clock.monotonic?.()
    const line: ReserveLine = {
      type: 'reserve',
      id: newId(),
      at: now(),
      cost,
      owner,
      ...(monotonic !== undefined && { monotonic }),
      ...(place && { place: place.id }),
    }
    const own = { line, since: steadyMs(clock), isGivenUp: false, isSettling: false }
    mine.set(line.id, own)
    // Lines that came just before it, such as another reservation or a refusal, may leave no room for it.
    const again = await appendAsking(line).catch((error) => {
      mine.delete(line.id)
      throw error
    })
    const late = again.type === 'later' ? laterThan(again) : resting()
    if (late === undefined) {
      place = undefined
      return { type: 'granted', id: line.id }
    }
    own.isSettling = true
    await log.append([{ type: 'cancel', id: line.id }])
    mine.delete(line.id)
    return await deny(cost, asOf, late)
  }

  async function deny(cost: number, asOf: number, found: Later): Promise<Reservation> {
    const before = endings
    await takePlace(cost)
    // Taking it brings along what others have written: they may wait before it.
    const latest = verdictOf(cost, Math.max(asOf + log.aheadMs(), log.now()))
    const verdict = latest.type === 'later' ? latest : found
    denied = { endings: before, at: verdict.at }
    const local = (at: number | undefined) => (at === undefined ? undefined : at - log.aheadMs())
    const { at, easesAt, lookAt, soonest } = verdict
    const moved = { at: local(at), easesAt: local(easesAt), lookAt: local(lookAt) }
    return {
      type: 'denied',
      verdict: { ...verdict, ...moved, ...(soonest && { soonest: { at: local(soonest.at) } }) },
    }
  }

  /** A late date is safe; one before the lines of others would look like a clock that was set back. */
  function dated(outcome: PacingOutcome, { line, since, redatedTo }: Mine): PacingOutcome {
    if (outcome.type === 'not-sent') return outcome
    // The log may have dated it by a time that this process did not know yet.
    const { at: begunAt } = fold.inFlight.get(line.id) ?? line
    const [now, told] = [log.now(), outcome.at + log.aheadMs()]
    const at = Math.abs(now - told) < LATE_MS ? told : now
    const setByMs = now - begunAt - (steadyMs(clock) - since)
    // If the clock was set while the request was under way, the report cannot be placed in time.
    const isPlaced = begunAt !== redatedTo && Math.abs(setByMs) <= LATE_MS
    return outcome.type === 'answered' && !isPlaced
      ? { ...outcome, at, report: lastingReport(outcome) }
      : { ...outcome, at }
  }

  return {
    reserve: (cost, now) => inTurn(() => tryReserve(cost, now)),
    async settle(id, outcome) {
      const own = mine.get(id)
      if (own === undefined || own.isSettling) return
      own.isSettling = true
      if (!own.isGivenUp) return await log.append([{ type: 'settle', id, outcome: dated(outcome, own) }])
      // It may be charged only now.
      mine.delete(id)
      const again = { ...own.line, id: newId(), at: log.now() }
      asked.set(again.id, { type: 'now' })
      await log.append([again, { type: 'settle', id: again.id, outcome: dated(outcome, own) }])
      asked.delete(again.id)
    },
    withdraw: () =>
      inTurn(async () => {
        const left = place
        place = undefined
        if (left !== undefined) await log.append([{ type: 'cancel', id: left.id }], true)
      }),
    windows(now) {
      if (log.isNear) void log.read()
      return movedQuota(fold.model().windows(now + log.aheadMs()), -log.aheadMs())
    },
    async changed(signal) {
      for (const { endings: before, at } = denied; ; ) {
        signal?.throwIfAborted()
        if (staleInMs(at) <= 0) await log.read()
        if (endings !== before) return
        await nap(Math.max(staleInMs(at), 0), { clock, sleepers, signal })
      }
    },
    close: log.close,
  }
}

/** Processes that lost to the same reservation try again at different times. */
function laterThan(verdict: Later): Later {
  return verdict.at === undefined ? verdict : { ...verdict, at: verdict.at + Math.random() * JITTER_MS }
}
