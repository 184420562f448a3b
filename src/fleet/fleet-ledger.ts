import { type Clock, steadyMs } from '../clock.ts'
import type { Later, QuotaModel, Reservation, Verdict } from '../pacing/ledger.ts'
import { movedQuota } from '../pacing/memory-ledger.ts'
import { nap } from '../pacing/nap.ts'
import type { LedgerLine, ReserveLine } from '../pacing/shared-ledger/ledger-line.ts'
import type { PlaceLine } from '../pacing/shared-ledger/places.ts'
import { thisProcess } from '../system/process-identity.ts'
import { createFleetFold, toLedgerLines } from './fleet-fold.ts'
import { mergeable, quotaForm, withoutEnding } from './fleet-history.ts'
import type { FleetLedger } from './fleet-ledger-port.ts'
import { type FleetLine, movedLine, runnerOf } from './fleet-line.ts'
import { type FleetLog, openFleetLog } from './fleet-log.ts'
import { createHeartbeat, HEARTBEAT_MS, type Heartbeat } from './heartbeat.ts'
import { createFleetTurns } from './in-turn.ts'
import type { RedisLink } from './redis-link.ts'

export interface FleetLedgerOptions {
  readonly link: RedisLink
  readonly clock: Clock
  readonly createModel: () => QuotaModel
}

/** How often a wait reads the log: for a request under way elsewhere, and while its end is known. */
const POLL_MS = 2_000
const IDLE_POLL_MS = 15_000

/** The ledger, and what the contents of the fleet share with it. */
export interface OpenFleetLedger extends FleetLedger {
  readonly log: FleetLog<FleetLine>
  readonly heartbeat: Heartbeat
}

export function createFleetLedger(options: FleetLedgerOptions): OpenFleetLedger {
  const { clock } = options
  const owner = thisProcess()
  const isLimited = Object.keys(options.createModel().windows(0)).length > 0
  const mine = new Map<string, ReserveLine>()
  /** Reservations that are not granted yet and that Redis may have, with what the lines before each of them say. */
  const doubtful = new Map<string, Verdict>()
  /** Where this runner waits. */
  let place: PlaceLine | undefined
  let named = 0
  let endings = 0
  let endingsAtDenial = 0
  let pollMs = POLL_MS
  let isBeating = false
  /** Whether a heartbeat brought the newest ending, so that a wait need not read the log once more. */
  let isReadByBeat = false
  /** One reservation at a time: each gives up those before it that had no answer. */
  const inTurn = createFleetTurns()
  const sleepers = new Set<() => void>()

  const fold = createFleetFold(options.createModel, onRoom, (line, model) => {
    if (doubtful.has(line.id)) doubtful.set(line.id, model.verdict(line.cost, line.at))
  })
  const heartbeat = createHeartbeat(clock, options.link, beat)
  const log = openFleetLog({ form: quotaForm, link: heartbeat, clock, deliver: fold.deliver, rebuild: fold.rebuild })
  heartbeat.watch({ silenceMs: () => (mine.size > 0 ? HEARTBEAT_MS : Number.POSITIVE_INFINITY) })
  const newId = () => {
    named += 1
    return `${log.runner}.${named}`
  }
  /** Other runners see by its id whose a reservation is. */
  const ownId = (id: string) => (runnerOf(id) === log.runner ? id : `${log.runner}.${id}`)

  /** Other calls tell why it fails. */
  async function beat(): Promise<void> {
    isBeating = true
    await log.read().catch(() => {})
    isBeating = false
  }

  function onRoom(): void {
    endings += 1
    isReadByBeat = isBeating
    for (const wake of sleepers) wake()
  }

  /** Cancels the reservations that had no answer: Redis may have them. */
  async function cancelDoubtful(): Promise<void> {
    if (doubtful.size === 0) return
    const ids = [...doubtful.keys()]
    await log.append(ids.map((id) => ({ type: 'cancel', id })))
    for (const id of ids) doubtful.delete(id)
  }

  async function tryReserve(cost: number): Promise<Reservation> {
    await cancelDoubtful()
    await keepPlace()
    // A reservation brings what is new along.
    if (staleInMs(POLL_MS) < 0 && verdictOf(cost).type === 'later') await log.read()
    const verdict = verdictOf(cost)
    if (verdict.type === 'later') {
      await takePlace(cost)
      return denied(verdict)
    }
    const line: ReserveLine = {
      type: 'reserve',
      id: newId(),
      at: log.now(),
      cost,
      owner,
      ...(place && { place: place.id }),
    }
    doubtful.set(line.id, now)
    await log.append([line])
    // Lines that came just before the reservation, such as another one or a refusal, may leave no room for it.
    const again = doubtful.get(line.id)
    const rest = resting()
    if (again?.type === 'later' || rest) {
      await cancelDoubtful()
      await takePlace(cost)
      return denied(rest ?? (again as Later))
    }
    doubtful.delete(line.id)
    place = undefined
    mine.set(line.id, line)
    heartbeat.arm()
    return { type: 'granted', id: line.id }
  }

  const verdictOf = (cost: number): Verdict => resting() ?? fold.verdict(cost, log.now(), place?.id)

  /** After a loss of Redis all who knew it before let the others tell first. */
  function resting(): Later | undefined {
    const at = log.restsUntil()
    return isLimited && log.now() < at ? { type: 'later', at, window: undefined, source: 'ledger' } : undefined
  }

  /** Waits in the queue of all runners from now on. */
  async function takePlace(cost: number): Promise<void> {
    if (place?.cost === cost) return await keepPlace()
    await leavePlace()
    place = { type: 'place', id: newId(), at: log.now(), cost, owner }
    await log.append([place])
  }

  /** Redis may have lost it, or others have taken this runner for gone: then its name is used up. */
  async function keepPlace(): Promise<void> {
    if (place === undefined || fold.isWaiting(place.id)) return
    place = { ...place, id: newId(), at: log.now() }
    await log.append([place])
  }

  /** A cancellation without an answer is repeated by the next call. */
  async function leavePlace(): Promise<void> {
    if (place !== undefined) doubtful.set(place.id, now)
    place = undefined
    await cancelDoubtful()
  }

  /** After this time others may have made room since the last answer. */
  function staleInMs(afterMs: number): number {
    return (log.heardAt() ?? Number.NEGATIVE_INFINITY) + afterMs - steadyMs(clock)
  }

  function denied(verdict: Later): Reservation {
    endingsAtDenial = endings
    pollMs = verdict.at === undefined ? POLL_MS : IDLE_POLL_MS
    const local = (at: number | undefined) => (at === undefined ? undefined : at - log.aheadMs())
    return {
      type: 'denied',
      verdict: {
        ...verdict,
        at: local(verdict.at),
        easesAt: local(verdict.easesAt),
        lookAt: local(verdict.lookAt),
        ...(verdict.soonest && { soonest: { at: local(verdict.soonest.at) } }),
      },
    }
  }

  function end(id: string): void {
    mine.delete(id)
    heartbeat.arm()
  }

  return {
    log,
    heartbeat,
    runner: log.runner,
    reserve: (cost) =>
      inTurn(async () => {
        const reason = fold.model().neverFits(cost)
        return reason === undefined ? await tryReserve(cost) : { type: 'never', reason }
      }),
    async settle(id, outcome) {
      const line = mine.get(id)
      if (line === undefined) return
      // An earlier call may have written it without getting an answer.
      const isWritten = log.lines().some(({ line: one }) => one.type === 'settle' && one.id === line.id)
      if (!isWritten) {
        // Others gave this runner up, and counted the request as charged at that time: it may be charged only now.
        const isGivenUp = !fold.inFlight().has(line.id)
        const again = isGivenUp ? { ...line, id: newId(), at: log.now() } : line
        mine.set(id, again)
        const settle: LedgerLine = { type: 'settle', id: again.id, outcome }
        await log.append(isGivenUp ? [again, settle] : [settle])
      }
      end(id)
    },
    withdraw: () => inTurn(leavePlace),
    windows: (now) => movedQuota(fold.model().windows(now + log.aheadMs()), -log.aheadMs()),
    async changed(signal) {
      const before = endingsAtDenial
      for (;;) {
        signal?.throwIfAborted()
        if (endings !== before) return
        await nap(staleInMs(pollMs), { clock, sleepers, signal })
        if (!isReadByBeat || staleInMs(pollMs) <= 0) await log.read()
      }
    },
    known: () => ({
      lines: toLedgerLines(log.lines()).map((line) => movedLine(line, -log.aheadMs())),
      runners: log.runners(),
      heardAt: log.heardAt() === undefined ? undefined : clock.now() - (steadyMs(clock) - (log.heardAt() ?? 0)),
    }),
    async rejoin(lines) {
      await log.read()
      const ahead = log.aheadMs()
      const underWay = withoutEnding(lines)
      const merged = lines.map((line) =>
        movedLine('id' in line && underWay.has(line.id) ? { ...line, id: ownId(line.id) } : line, ahead),
      )
      await log.merge(mergeable(merged))
      for (const id of underWay) {
        const line = fold.inFlight().get(ownId(id))
        if (line !== undefined) mine.set(id, line)
      }
      for (const line of lines) if (line.type === 'settle' || line.type === 'cancel') end(line.id)
      heartbeat.arm()
      await inTurn(cancelDoubtful)
    },
  }
}

const now: Verdict = { type: 'now' }
