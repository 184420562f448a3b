import { startIdleTimer, steadyMs } from '../../clock.ts'
import { writerOf } from '../../log/log.ts'
import { openFleetLog } from '../../log/redis/fleet-log.ts'
import { createHeartbeat, HEARTBEAT_MS } from '../../log/redis/heartbeat.ts'
import { FleetProblem, type RedisLink } from '../../log/redis/redis-link.ts'
import { windowLengthMs } from '../../protocol/rate-limits.ts'
import { thisProcess } from '../../system/process-identity.ts'
import { over } from '../../system/signals.ts'
import type { QuotaModel } from '../ledger.ts'
import { createLedgerFold } from '../quota-log/ledger-fold.ts'
import { datedAt, type LedgerLine } from '../quota-log/ledger-line.ts'
import type { OwnLines, QuotaHome, QuotaLog } from '../quota-log/quota-home.ts'
import { type CutOffLogOptions, createCutOffLog, seedOf } from './cut-off-log.ts'
import { createTranslator, toLedgerLines } from './fleet-fold.ts'
import { mergeable, quotaForm } from './fleet-history.ts'
import { type DatedLine, movedLine } from './fleet-line.ts'
import { createOutage, type Outage, type Untold, untoldAt } from './outage.ts'
import { createStretchedModel, withoutRoom } from './stretched-model.ts'

export interface FleetHomeOptions extends Omit<CutOffLogOptions, 'folder'> {
  readonly link: RedisLink
  readonly createModel: () => QuotaModel
  /** How many runners to assume if Redis was never reached. Default: 8. */
  readonly assumedRunners?: number | undefined
  /** Where the runners of this machine that are cut off count together. Default: each counts in its own memory. */
  readonly folder?: string | undefined
  /** Called with the reason when the folder cannot be used; the process then counts in its own memory. */
  readonly onProblem?: (reason: string) => void
  /** Called once per outage: until the return this runner counts without the others. */
  readonly onOutage?: (problem: FleetProblem) => void
  /** Called once per outage: Redis answers again, and has what was used meanwhile. */
  readonly onReturn?: () => void
  /** From 0 to below 1. */
  readonly random?: () => number
}

/** How often a wait reads the log: for a request under way elsewhere, and while its end is known. */
const POLL_MS = 2_000
const IDLE_POLL_MS = 15_000
/** An answer may end a wait for the minute early, so the first in the queue reads the log so often, the second half as often. */
const EACH_PLACE_POLL_MS = 1_000
/** A call waits no longer for Redis to come back. */
const LONGEST_TRY_MS = 1_000
/** By the spec's limits the minute has room for the burst's two uploads every 20 s. */
const PAIR_OF_UPLOADS_MS = 20_000
/** Assumed where neither Redis nor its URL says how many runners there are. */
const USUAL_RUNNERS = 8

/**
 * The home of a fleet's quota: Redis, and a log apart while it does not answer, in which this runner keeps to its share. No
 * request is sent uncounted, and what was counted apart is added to the fleet's log.
 */
export function createFleetHome(options: FleetHomeOptions) {
  const { clock, folder, owner = thisProcess(), random = Math.random, assumedRunners = USUAL_RUNNERS } = options
  const { onProblem = () => {}, onOutage = () => {}, onReturn = () => {} } = options
  const heartbeat = createHeartbeat(clock, options.link, () => log.read().catch(() => {}))
  const log = openFleetLog({ form: quotaForm, link: heartbeat, clock, deliver, rebuild })
  const cutOff = createCutOffLog({ ...options, folder })
  let outage: Outage | undefined
  let fold = createLedgerFold(createModel)
  let holder: OwnLines = { missing: () => [], isIdle: () => true }
  let translate = createTranslator()
  /** The last outage, if requests of its time are under way. */
  let former: Outage | undefined
  /** The try to return that is under way, and until when calls wait for it. */
  let attempt: { readonly ended: Promise<void>; readonly waitUntil: number } | undefined
  let hasLeftovers = true
  let isWatching = false
  let stopWatch = () => {}

  const isOurs = (id: string) => writerOf(id) === log.runner
  const underWay = () => [...fold.inFlight.keys()].filter(isOurs)
  /** A Redis that has lost who is at work has to hear of those whose requests stand in the way, or it never gives them up. */
  function others(): readonly string[] {
    const ids = [...fold.inFlight.keys(), ...fold.waiting().map(({ id }) => id)]
    return [...new Set(ids.map(writerOf))].filter((name) => name !== log.runner)
  }

  heartbeat.watch({
    silenceMs() {
      const isOpen = underWay().some((id) => outage?.begun.has(id) ?? true)
      return isOpen ? HEARTBEAT_MS : Number.POSITIVE_INFINITY
    },
  })

  function createModel(): QuotaModel {
    const model = options.createModel()
    return outage ? createStretchedModel(model, outage.stretch) : model
  }

  function deliver(line: DatedLine): void {
    if (outage) return
    if (line.line.type === 'unlearn') rebuild(log.lines())
    else for (const one of translate(line)) fold.deliver(one)
  }

  function rebuild(lines: readonly DatedLine[]): void {
    if (outage) return
    fold.restart()
    translate = createTranslator()
    for (const one of toLedgerLines(lines, translate)) fold.deliver(one)
  }

  /** Dated by this machine's clock. */
  const known = () => toLedgerLines(log.lines()).map((line) => movedLine(line, -log.aheadMs()))

  /** @throws the error, if it is another one than Redis' */
  function begin(error: unknown): void {
    if (!(error instanceof FleetProblem)) throw error
    if (outage) return
    const heard = log.heardAt()
    const heardAt = heard === undefined ? undefined : clock.now() - (steadyMs(clock) - heard)
    const factor = Math.max(log.runners() ?? assumedRunners, 1)
    const lateMs = random() * (factor - 1) * PAIR_OF_UPLOADS_MS
    const stretch = { from: heardAt ?? Number.NEGATIVE_INFINITY, factor, lateMs }
    const seed = seedOf(known(), { heardAt, isOurs })
    const begun = new Set(underWay())
    const home = { ...options, name: log.runner, createModel, openLog: cutOff.open, onProblem }
    former?.forget()
    former = undefined
    outage = createOutage({ ...home, fold, holder, seed, stretch, begun, random })
    outage.begin()
    onOutage(error)
  }

  /** Tries once to return, if it is time and no other call is trying. */
  async function tryReturn(current: Outage): Promise<void> {
    if (attempt === undefined && outage === current && current.dueInMs() <= 0) {
      const ended = goBack(current).finally(() => {
        attempt = undefined
      })
      attempt = { ended, waitUntil: steadyMs(clock) + LONGEST_TRY_MS }
    }
    await attempt?.ended
  }

  /** Waits for the attempt, but not for long. */
  async function tryReturnSoon(current: Outage): Promise<void> {
    const end = new AbortController()
    const returned = tryReturn(current)
    const inMs = (attempt?.waitUntil ?? 0) - steadyMs(clock)
    try {
      if (inMs > 0) await Promise.race([returned, clock.sleep(inMs, end.signal)])
    } finally {
      end.abort(over)
    }
  }

  async function goBack(current: Outage): Promise<void> {
    const { untold } = current
    try {
      await log.read()
      const left = leftovers()
      // Requests begin and end while this runner tells Redis, so it tells until nothing is left.
      do {
        const part = untold.slice()
        await log.merge(mergeable([...left, ...forFleet(part)]))
        untold.splice(0, part.length)
      } while (untold.length > 0)
    } catch (error) {
      if (!(error instanceof FleetProblem)) throw error
      return current.postpone()
    }
    const places = fold.waiting().flatMap(({ id }) => (isOurs(id) ? id : []))
    current.end(underWay(), places)
    outage = undefined
    former = current
    cutOff.forget()
    rebuild(log.lines())
    onReturn()
    // Redis hears what has no date: requests that were not sent, and places.
    await quotaLog.append([])
  }

  /**
   * Lines dated by the fleet's time. Of a request that the fleet has begun to count the end is dated now: before its beginning
   * it would say that nothing was sent.
   */
  function forFleet(untold: readonly Untold[]): readonly LedgerLine[] {
    const begun = new Set(log.lines().flatMap(({ line }) => (line.type === 'reserve' ? line.id : [])))
    return untold.map((one) => {
      const isLate = one.line.type === 'settle' && begun.has(one.line.id)
      return lessRoom(isLate ? datedAt(one.line, log.now()) : untoldAt(one, log.now(), clock))
    })
  }

  const leftovers = () => cutOff.leftovers().map((line) => lessRoom(movedLine(line, log.aheadMs())))

  /** Processes of this machine may have ended before Redis was back. */
  async function addLeftovers(): Promise<void> {
    if (!hasLeftovers) return
    hasLeftovers = false
    const left = leftovers()
    if (left.length === 0) return
    await log.merge(mergeable(left))
    cutOff.forget()
  }

  /** No call may follow, and the others wait for the end of a request as long as they hear of this runner. */
  function watch(current: Outage): void {
    isWatching = outage === current
    if (!isWatching) return
    stopWatch = startIdleTimer(clock, Math.max(current.dueInMs(), 1), () => {
      void tryReturn(current).then(() => watch(outage ?? current))
    })
  }

  async function inFleet(lines: readonly LedgerLine[]): Promise<void> {
    const all = [...holder.missing(false), ...lines].map((line) => datedAt(line, log.now()))
    if (all.length > 0) await log.append(all)
    former?.told(lines)
    await addLeftovers()
  }

  /** Works in Redis, or else apart. */
  async function use(work: () => Promise<void>, apart: (current: Outage) => Promise<void>): Promise<void> {
    if (outage) await tryReturnSoon(outage)
    try {
      if (outage === undefined) await work()
    } catch (error) {
      begin(error)
    } finally {
      heartbeat.arm()
    }
    if (outage === undefined) return
    await apart(outage)
  }

  const quotaLog: QuotaLog = {
    get isNear() {
      return outage !== undefined
    },
    now: () => (outage ? clock.now() : log.now()),
    aheadMs: () => (outage ? 0 : log.aheadMs()),
    restsUntil: () => (outage ? Number.NEGATIVE_INFINITY : log.restsUntil()),
    readAt: () => (outage ? outage.log.readAt() : (log.heardAt() ?? Number.NEGATIVE_INFINITY)),
    pollMs(leftMs, ahead) {
      if (outage) return outage.log.pollMs(leftMs, ahead)
      if (leftMs !== undefined && leftMs > 2 * windowLengthMs.minute) return IDLE_POLL_MS
      return Math.min((ahead + 1) * EACH_PLACE_POLL_MS, leftMs === undefined ? POLL_MS : IDLE_POLL_MS)
    },
    read: () =>
      use(
        async () => {
          await log.waitFor(others())
          await inFleet([])
        },
        (current) => current.log.read(),
      ),
    append(lines, isOptional = false) {
      const wasCutOff = outage !== undefined
      return use(
        async () => {
          await inFleet(lines).catch((error) => {
            if (!isOptional || !(error instanceof FleetProblem)) throw error
          })
        },
        async (current) => {
          // In Redis the entry has the date.
          await current.log.append(wasCutOff ? lines : lines.map((line) => datedAt(line, clock.now())))
          if (!isWatching && lines.some(({ type }) => type === 'settle')) watch(current)
        },
      )
    },
    close() {
      stopWatch()
      outage?.log.close()
    },
  }

  const home: QuotaHome = {
    name: log.runner,
    owner,
    createModel,
    open(openFold, openHolder) {
      fold = openFold
      holder = openHolder
      return quotaLog
    },
  }
  return {
    home,
    log,
    heartbeat,
    /** What all runners used, as far as this one knows, dated by this machine's clock. */
    known,
    isCutOff: () => outage !== undefined,
  }
}

/** Others' charges show in the room that an answer tells, and the fleet learns of them from the others. */
function lessRoom(line: LedgerLine): LedgerLine {
  return line.type === 'settle' ? { ...line, outcome: withoutRoom(line.outcome) } : line
}
