import { randomBytes } from 'node:crypto'
import { type Clock, steadyMs } from '../../clock.ts'
import type { Log } from '../../log/log.ts'
import { createLogWithFallback, type FallbackOptions } from '../../log/memory-log.ts'
import { isGone, type ProcessOwner, thisProcess } from '../../system/process-identity.ts'
import type { Later, Ledger, QuotaModel, Reservation } from '../ledger.ts'
import { nap } from '../nap.ts'
import type { PacingOutcome } from '../pacer.ts'
import { createLedgerFold } from './ledger-fold.ts'
import type { LedgerLine, ReserveLine } from './ledger-line.ts'
import type { PlaceLine } from './places.ts'

export interface LogLedgerOptions extends FallbackOptions<LedgerLine> {
  readonly clock: Clock
  readonly createModel: () => QuotaModel
  /** Begins the ids of this process's reservations; no other ledger's may begin so. Default: random. */
  readonly idPrefix?: string
  /** Default: this process. */
  readonly owner?: ProcessOwner
  /** Default: asks the system. */
  readonly hasEnded?: (owner: ProcessOwner, ageMs: number) => boolean
}

export interface LogLedger extends Ledger {
  /** Counts a request of this process that another ledger has granted; `settle` ends it. */
  adopt(line: ReserveLine): void
}

/** A request of this process that is under way. */
interface Mine {
  readonly line: ReserveLine
  /** By the clock's monotonic time. */
  readonly since: number
}

/** How often a wait for a request under way reads the log for an ending by another process. */
const POLL_MS = 150
/** The same while the end of the wait is known. */
const IDLE_POLL_MS = 1_000
/** Spreads the next tries of processes that lost to the same reservation. */
const JITTER_MS = 100
/** An outcome written this much later than it happened, as by a suspended process, is dated to the time of writing. */
const LATE_MS = 1_000

/** A ledger whose entries are the lines of a log that other processes write to as well. */
export function createLogLedger(options: LogLedgerOptions): LogLedger {
  const { clock } = options
  const owner = options.owner ?? thisProcess()
  const hasEnded = options.hasEnded ?? ((other, ageMs) => isGone(other, ageMs, owner))
  const idPrefix = options.idPrefix ?? randomBytes(6).toString('base64url')
  const mine = new Map<string, Mine>()
  const sleepers = new Set<() => void>()
  /** Where this process waits. */
  let place: PlaceLine | undefined
  let named = 0
  let endings = 0
  let endingsAtDenial = 0
  let pollMs = POLL_MS

  const fold = createLedgerFold(options.createModel, (endedId) => {
    if (endedId !== undefined) mine.delete(endedId)
    endings += 1
    for (const wake of sleepers) wake()
  })

  const log = createLogWithFallback(options, fold, () => mine.size === 0 && place === undefined)

  /** Reads the new lines, and adds requests of this process that are missing: they are adopted, or the file was removed. */
  function read(current: Log<LedgerLine>): void {
    current.read()
    for (const { line } of [...mine.values()]) {
      if (fold.inFlight.has(line.id)) continue
      current.append(line)
      current.read()
    }
    // A file that was removed had it, or another process took this one for gone.
    if (place === undefined || fold.isWaiting(place.id)) return
    place = { ...place, at: clock.now() }
    current.append(place)
    current.read()
  }

  /** Reads the new lines. Requests of a process that has ended may have been charged until now, so they count as charged now. */
  function catchUp(current: Log<LedgerLine>, now: number): void {
    read(current)
    for (const { id, owner: other, at } of [...fold.inFlight.values()]) {
      if (mine.has(id) || !hasEnded(other, now - at)) continue
      current.append({ type: 'settle', id, outcome: { type: 'unanswered', at: now } })
      current.read()
    }
    for (const { id, owner: other, at } of fold.waiting()) {
      if (id === place?.id || !hasEnded(other, now - at)) continue
      current.append({ type: 'cancel', id })
      current.read()
    }
  }

  function newId(): string {
    named += 1
    return `${idPrefix}${named}`
  }

  /** Waits in the queue of all processes from now on. */
  function takePlace(current: Log<LedgerLine>, cost: number, now: number): void {
    if (place?.cost === cost) return
    // A place keeps its rank when another request takes it over.
    place = { type: 'place', id: place?.id ?? newId(), at: now, cost, owner }
    current.append(place)
    current.read()
  }

  function tryReserve(current: Log<LedgerLine>, cost: number, now: number): Reservation {
    catchUp(current, now)
    const reason = fold.model().neverFits(cost)
    if (reason !== undefined) return { type: 'never', reason }
    const atFirst = fold.verdict(cost, now, place?.id)
    if (atFirst.type === 'later') {
      takePlace(current, cost, now)
      return { type: 'denied', verdict: atFirst }
    }
    const monotonic = clock.monotonic?.()
    const line: ReserveLine = {
      type: 'reserve',
      id: newId(),
      at: now,
      cost,
      owner,
      ...(monotonic !== undefined && { monotonic }),
      ...(place && { place: place.id }),
    }
    mine.set(line.id, { line, since: steadyMs(clock) })
    try {
      return contend(current, line)
    } catch (error) {
      mine.delete(line.id)
      fold.deliver({ type: 'cancel', id: line.id })
      throw error
    }
  }

  /** The lines before this one decide; processes whose lines come after it see it. */
  function contend(current: Log<LedgerLine>, line: ReserveLine): Reservation {
    current.append(line)
    const verdict = fold.model().verdict(line.cost, line.at)
    current.read()
    if (verdict.type === 'now') {
      place = undefined
      return { type: 'granted', id: line.id }
    }
    current.append({ type: 'cancel', id: line.id })
    current.read()
    takePlace(current, line.cost, line.at)
    return { type: 'denied', verdict: laterThan(verdict) }
  }

  /** A late date is safe; one before the lines of others would look like a clock that was set back. */
  function dated(outcome: PacingOutcome, { line, since }: Mine): PacingOutcome {
    if (outcome.type === 'not-sent') return outcome
    const now = clock.now()
    const at = Math.abs(now - outcome.at) < LATE_MS ? outcome.at : now
    const setByMs = now - line.at - (steadyMs(clock) - since)
    // The clock was set while the request was under way, so the report cannot be placed in time.
    if (outcome.type === 'answered' && Math.abs(setByMs) > LATE_MS) return { ...outcome, at, report: {} }
    return { ...outcome, at }
  }

  return {
    async reserve(cost, now) {
      const reservation = log.use((current) => tryReserve(current, cost, Math.max(now, clock.now())))
      if (reservation.type === 'denied') {
        endingsAtDenial = endings
        pollMs = reservation.verdict.at === undefined ? POLL_MS : IDLE_POLL_MS
      }
      return reservation
    },
    async settle(id, outcome) {
      log.use((current) => {
        read(current)
        const own = mine.get(id)
        if (own === undefined) return
        current.append({ type: 'settle', id, outcome: dated(outcome, own) })
        current.read()
      })
    },
    async withdraw() {
      const left = place
      if (left === undefined) return
      place = undefined
      log.use((current) => {
        current.append({ type: 'cancel', id: left.id })
        current.read()
      })
    },
    windows: (now) =>
      log.use((current) => {
        catchUp(current, now)
        return fold.model().windows(now)
      }),
    async changed(signal) {
      const before = endingsAtDenial
      for (;;) {
        signal?.throwIfAborted()
        log.use((current) => catchUp(current, clock.now()))
        if (endings !== before) return
        await nap(pollMs, { clock, sleepers, signal })
      }
    },
    close: log.close,
    adopt(line) {
      mine.set(line.id, { line, since: steadyMs(clock) - (clock.now() - line.at) })
    },
  }
}

/** Processes that lost to the same reservation try again at different times. */
function laterThan(verdict: Later): Later {
  return verdict.at === undefined ? verdict : { ...verdict, at: verdict.at + Math.random() * JITTER_MS }
}
