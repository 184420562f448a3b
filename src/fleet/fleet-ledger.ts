import { type Clock, steadyMs } from '../clock.ts'
import type { Later, QuotaModel, Reservation, Verdict } from '../pacing/ledger.ts'
import { movedQuota } from '../pacing/memory-ledger.ts'
import { nap } from '../pacing/nap.ts'
import type { LedgerLine, ReserveLine } from '../pacing/shared-ledger/ledger-line.ts'
import { thisProcess } from '../system/process-identity.ts'
import { createFleetFold, toLedgerLines } from './fleet-fold.ts'
import { mergeable, withoutEnding } from './fleet-history.ts'
import type { FleetLedger } from './fleet-ledger-port.ts'
import { movedLine, runnerOf } from './fleet-line.ts'
import { type FleetLog, openFleetLog } from './fleet-log.ts'
import { createHeartbeat } from './heartbeat.ts'
import { createFleetTurns } from './in-turn.ts'
import type { RedisLink } from './redis-link.ts'

export interface FleetLedgerOptions {
  readonly link: RedisLink
  readonly clock: Clock
  readonly createModel: () => QuotaModel
  /** Whether no limit is assumed: then reservations need no turn. */
  readonly isUnlimited: boolean
}

/** How often a wait reads the log: for its turn, for a request under way elsewhere, and while its end is known. */
const TURN_MS = 150
const POLL_MS = 2_000
const IDLE_POLL_MS = 15_000
/** How often a runner with requests under way is heard of; other runners give it up after 30 s. */
const HEARTBEAT_MS = 5_000
/** So many runners may reserve at a time, as scripts/sync.lua has it. One that was overtaken tries again at once. */
const SERVED_AT_ONCE = 3
const TRIES = 3

/** The ledger and the log under it, which the contents of the fleet share. */
export interface OpenFleetLedger extends FleetLedger {
  readonly log: FleetLog
}

export function createFleetLedger(options: FleetLedgerOptions): OpenFleetLedger {
  const { clock, isUnlimited } = options
  const owner = thisProcess()
  const mine = new Map<string, ReserveLine>()
  /** Reservations that are not granted yet and that Redis may have, with what the lines before each of them say. */
  const doubtful = new Map<string, Verdict>()
  let reservations = 0
  let endings = 0
  let endingsAtDenial = 0
  let pollMs = POLL_MS
  /** One reservation at a time: each gives up those before it that had no answer. */
  const inTurn = createFleetTurns()
  const sleepers = new Set<() => void>()

  const fold = createFleetFold(options.createModel, onRoom, (line, model) => {
    if (doubtful.has(line.id)) doubtful.set(line.id, model.verdict(line.cost, line.at))
  })
  const log = openFleetLog({ link: options.link, clock, deliver: fold.deliver, rebuild: fold.rebuild })
  const heartbeat = createHeartbeat(clock, HEARTBEAT_MS, log.read)
  const newId = () => {
    reservations += 1
    return `${log.runner}.${reservations}`
  }
  /** Other runners see by its id whose a reservation is. */
  const ownId = (id: string) => (runnerOf(id) === log.runner ? id : `${log.runner}.${id}`)
  const toLocal = (at: number) => at - log.aheadMs()

  function onRoom(): void {
    endings += 1
    for (const wake of sleepers) wake()
  }

  /** Cancels the reservations that had no answer: Redis may have them. */
  async function cancelDoubtful(): Promise<void> {
    if (doubtful.size === 0) return
    const ids = [...doubtful.keys()]
    await log.append(
      ids.map((id) => ({ type: 'cancel', id })),
      'always',
    )
    for (const id of ids) doubtful.delete(id)
  }

  async function tryReserve(cost: number): Promise<Reservation> {
    await cancelDoubtful()
    // A reservation brings what is new along.
    if (isStale() && fold.model().verdict(cost, log.now()).type === 'later') await log.read()
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const attempt = await tryOnce(cost)
      if (attempt !== 'overtaken') return attempt
    }
    return denied(turnLater, TURN_MS)
  }

  async function tryOnce(cost: number): Promise<Reservation | 'overtaken'> {
    const verdict = fold.model().verdict(cost, log.now())
    if (verdict.type === 'later') return denied(verdict, verdict.at === undefined ? POLL_MS : IDLE_POLL_MS)
    const line: ReserveLine = { type: 'reserve', id: newId(), at: log.now(), cost, owner }
    doubtful.set(line.id, now)
    const { holds, ahead } = await log.append([line], isUnlimited ? 'always' : 'in-turn')
    // An ending that came just before the reservation, such as a refusal, may leave no room for it.
    const again = doubtful.get(line.id)
    if (again?.type === 'later') {
      await cancelDoubtful()
      return denied(again, POLL_MS)
    }
    doubtful.delete(line.id)
    if (!holds) return ahead < SERVED_AT_ONCE ? 'overtaken' : denied(turnLater, TURN_MS)
    mine.set(line.id, line)
    heartbeat.start()
    return { type: 'granted', id: line.id }
  }

  /** What others have done since the last answer may have made room. */
  function isStale(): boolean {
    const heardAt = log.heardAt()
    return heardAt === undefined || steadyMs(clock) - heardAt > POLL_MS
  }

  function denied(verdict: Later, nextPollMs: number): Reservation {
    endingsAtDenial = endings
    pollMs = nextPollMs
    const local = (at: number | undefined) => (at === undefined ? undefined : toLocal(at))
    return { type: 'denied', verdict: { ...verdict, at: local(verdict.at), easesAt: local(verdict.easesAt) } }
  }

  function end(id: string): void {
    mine.delete(id)
    if (mine.size === 0) heartbeat.stop()
  }

  return {
    log,
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
        await log.append(isGivenUp ? [again, settle] : [settle], 'always')
      }
      end(id)
    },
    windows: (now) => movedQuota(fold.model().windows(now + log.aheadMs()), -log.aheadMs()),
    async changed(signal) {
      const before = endingsAtDenial
      const isTurn = pollMs === TURN_MS
      for (;;) {
        signal?.throwIfAborted()
        if (endings !== before) return
        await nap(pollMs, { clock, sleepers, signal })
        await log.read()
        if (isTurn) return
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
      await inTurn(cancelDoubtful)
    },
  }
}

/** Another runner is first. */
const turnLater: Later = { type: 'later', at: undefined, window: undefined, source: 'ledger' }
const now: Verdict = { type: 'now' }
