import { randomBytes } from 'node:crypto'
import { type Clock, steadyMs } from '../../clock.ts'
import { isGone, type ProcessOwner, thisProcess } from '../../system/process-identity.ts'
import type { Ledger, LedgerBook, Reservation, Verdict } from '../ledger.ts'
import type { PacingOutcome } from '../pacer.ts'
import { createLedgerFold, type ReserveLine } from './ledger-fold.ts'
import type { LedgerJournal } from './ledger-log.ts'
import { createJournalAccess, type JournalAccessOptions } from './ledger-log-with-fallback.ts'

export interface JournalLedgerOptions extends JournalAccessOptions {
  readonly clock: Clock
  readonly createBook: () => LedgerBook
  /** Default: this process. */
  readonly owner?: ProcessOwner
  /** Default: as the system tells. */
  readonly hasGone?: (owner: ProcessOwner, ageMs: number) => boolean
}

/** A reservation of this process that is under way. */
interface Mine {
  readonly line: ReserveLine
  /** By the clock's monotonic time. */
  readonly since: number
}

/** How often a wait for a request in flight looks whether another process has settled one. */
const POLL_MS = 150
/** The same where it is known until when to wait anyway. */
const IDLE_POLL_MS = 1_000
/** Those who were refused by the same reservation try again at different times. */
const JITTER_MS = 100
/** What is written this much later than it happened, as by a process that was stopped, is dated anew. */
const LATE_MS = 1_000

/** A ledger whose entries are the lines of a journal that others may write to as well. */
export function createJournalLedger(options: JournalLedgerOptions): Ledger {
  const { clock } = options
  const owner = options.owner ?? thisProcess()
  const hasGone = options.hasGone ?? ((other, ageMs) => isGone(other, ageMs, owner))
  const idPrefix = randomBytes(6).toString('base64url')
  const mine = new Map<string, Mine>()
  const sleepers = new Set<() => void>()
  let reservations = 0
  let endings = 0
  let endingsAtDenial = 0
  let pollMs = POLL_MS

  const fold = createLedgerFold(options.createBook, (endedId) => {
    if (endedId !== undefined) mine.delete(endedId)
    endings += 1
    for (const wake of sleepers) wake()
  })

  const journal = createJournalAccess(options, fold, () => mine.size === 0)

  /** What a process that has gone had in flight was charged, for all anybody knows; since when is not known either. */
  function settleForTheGone(current: LedgerJournal, now: number): void {
    for (const { id, owner: other, at } of [...fold.inFlight.values()]) {
      if (mine.has(id) || !hasGone(other, now - at)) continue
      current.append({ type: 'settle', id, outcome: { type: 'unanswered', at: now } })
      current.read()
    }
  }

  function tryReserve(current: LedgerJournal, cost: number, now: number): Reservation {
    current.read()
    settleForTheGone(current, now)
    const reason = fold.book().neverFits(cost)
    if (reason !== undefined) return { type: 'never', reason }
    const atFirst = fold.book().verdict(cost, now)
    if (atFirst.type === 'later') return { type: 'denied', verdict: atFirst }
    reservations += 1
    const monotonic = clock.monotonic?.()
    const line: ReserveLine = {
      type: 'reserve',
      id: `${idPrefix}${reservations}`,
      at: now,
      cost,
      owner,
      ...(monotonic !== undefined && { monotonic }),
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

  /** All that stands before the line in the file decides; whoever stands behind it sees it there. */
  function contend(current: LedgerJournal, line: ReserveLine): Reservation {
    current.append(line)
    const verdict = fold.book().verdict(line.cost, line.at)
    current.read()
    if (verdict.type === 'now') return { type: 'granted', id: line.id }
    current.append({ type: 'cancel', id: line.id })
    current.read()
    return { type: 'denied', verdict: laterThan(verdict) }
  }

  /** Later than it was is safe, earlier than what others have written since looks like a clock that was set back. */
  function dated(outcome: PacingOutcome, { line, since }: Mine): PacingOutcome {
    if (outcome.type === 'not-sent') return outcome
    const now = clock.now()
    const at = Math.abs(now - outcome.at) < LATE_MS ? outcome.at : now
    const setByMs = now - line.at - (steadyMs(clock) - since)
    // What is told of a time between two instants teaches nothing where the clock was set between them.
    if (outcome.type === 'answered' && Math.abs(setByMs) > LATE_MS) return { ...outcome, at, report: {} }
    return { ...outcome, at }
  }

  return {
    async reserve(cost, now) {
      const reservation = journal.use((current) => tryReserve(current, cost, Math.max(now, clock.now())))
      if (reservation.type === 'denied') {
        endingsAtDenial = endings
        pollMs = reservation.verdict.at === undefined ? POLL_MS : IDLE_POLL_MS
      }
      return reservation
    },
    async settle(id, outcome) {
      journal.use((current) => {
        current.read()
        const own = mine.get(id)
        if (own === undefined) return
        // The file may have been removed since.
        if (!fold.inFlight.has(id)) current.append(own.line)
        current.append({ type: 'settle', id, outcome: dated(outcome, own) })
        current.read()
      })
    },
    windows(now) {
      return journal.use((current) => {
        current.read()
        settleForTheGone(current, now)
        return fold.book().windows(now)
      })
    },
    async changed(signal) {
      const before = endingsAtDenial
      for (;;) {
        signal?.throwIfAborted()
        journal.use((current) => {
          current.read()
          settleForTheGone(current, clock.now())
        })
        if (endings !== before) return
        await nap(pollMs, { clock, sleepers, signal })
      }
    },
    close: journal.close,
  }
}

/** Of many who came too late each tries again at a time of its own. */
function laterThan(verdict: Verdict & { type: 'later' }): Verdict & { type: 'later' } {
  return verdict.at === undefined ? verdict : { ...verdict, at: verdict.at + Math.random() * JITTER_MS }
}

/** Sleeps until it is time to look again, or until an ending of this process's own wakes it. */
async function nap(
  ms: number,
  { clock, sleepers, signal }: { clock: Clock; sleepers: Set<() => void>; signal: AbortSignal | undefined },
): Promise<void> {
  const woken = new AbortController()
  const wake = () => woken.abort()
  sleepers.add(wake)
  signal?.addEventListener('abort', wake, { once: true })
  try {
    await clock.sleep(ms, woken.signal)
  } catch (error) {
    if (!woken.signal.aborted) throw error
  } finally {
    sleepers.delete(wake)
    signal?.removeEventListener('abort', wake)
  }
}
