import type { Clock } from '../../../../src/clock.ts'
import type { FleetLedger } from '../../../../src/fleet/fleet-ledger-port.ts'
import { FleetProblem } from '../../../../src/fleet/redis-link.ts'
import type { QuotaModel } from '../../../../src/pacing/ledger.ts'
import { createQuotaModel } from '../../../../src/pacing/quota-model/quota-model.ts'
import { createLedgerFold } from '../../../../src/pacing/shared-ledger/ledger-fold.ts'
import type { LedgerLine, ReserveLine } from '../../../../src/pacing/shared-ledger/ledger-line.ts'
import type { QuotaLimits } from '../../../../src/protocol/rate-limits.ts'
import { thisProcess } from '../../../../src/system/process-identity.ts'

/** What a fleet has written, in memory. */
export interface PretendedRedis {
  lines: LedgerLine[]
  readonly runners: Set<string>
}

export function pretendedRedis(): PretendedRedis {
  return { lines: [], runners: new Set() }
}

/** How one runner reaches the pretended Redis. */
export interface PretendedLink {
  isCut: boolean
  /** How long a call takes, whether it succeeds or not. */
  callMs: number
  /** Whether the next call is written and its answer lost. */
  losesAnswer?: boolean
  /** Calls that fail, and the most calls at the same time. */
  failed: number
  mostRejoins: number
}

export interface PretendedLedgerOptions {
  readonly redis: PretendedRedis
  readonly link: PretendedLink
  readonly clock: Clock
  readonly runner: string
  readonly limits?: Partial<QuotaLimits>
}

const dateOf = (line: LedgerLine): number | undefined => {
  if (line.type === 'reserve') return line.at
  return line.type === 'settle' && line.outcome.type !== 'not-sent' ? line.outcome.at : undefined
}

/** The lines by date; a line without a date comes after the one that it ends. */
function sorted(lines: readonly LedgerLine[]): readonly LedgerLine[] {
  const reserved = new Map(lines.flatMap((line) => (line.type === 'reserve' ? [[line.id, line.at] as const] : [])))
  const at = (line: LedgerLine) => dateOf(line) ?? ('id' in line ? reserved.get(line.id) : undefined) ?? 0
  return [...lines].sort((a, b) => at(a) - at(b))
}

/** The ledger of one runner of a fleet, over a pretended Redis. */
export function pretendedLedger({ redis, link, clock, runner, limits = {} }: PretendedLedgerOptions): FleetLedger {
  const owner = thisProcess()
  const doubtful: string[] = []
  let known: readonly LedgerLine[] = []
  let runners: number | undefined
  let heardAt: number | undefined
  let reservations = 0
  let endings = 0
  let rejoining = 0

  function model(): QuotaModel {
    const fold = createLedgerFold(() => createQuotaModel({ limits }))
    for (const line of known) fold.deliver(line)
    return fold.model()
  }

  function add(lines: readonly LedgerLine[]): void {
    for (const line of lines) {
      const isEnding = line.type === 'settle' || line.type === 'cancel'
      const isThere = redis.lines.some((other) => {
        if (!('id' in other) || !('id' in line) || other.id !== line.id) return false
        return isEnding ? other.type !== 'reserve' : other.type === line.type
      })
      if (!isThere) redis.lines.push(line)
    }
  }

  async function call<T>(work: () => T): Promise<T> {
    await clock.sleep(link.callMs)
    if (link.isCut) {
      link.failed += 1
      throw new FleetProblem('unreachable', 'Redis does not answer')
    }
    if (doubtful.length > 0) add(doubtful.splice(0).map((id) => ({ type: 'cancel', id })))
    const result = work()
    redis.runners.add(runner)
    if (link.losesAnswer) {
      link.losesAnswer = false
      link.failed += 1
      throw new FleetProblem('too-slow', 'Redis does not answer in time')
    }
    const now = sorted(redis.lines)
    if (now.length !== known.length) endings += 1
    known = now
    runners = redis.runners.size
    heardAt = clock.now()
    return result
  }

  return {
    runner,
    async reserve(cost, now) {
      reservations += 1
      const id = `${runner}.${reservations}`
      try {
        return await call(() => {
          known = sorted(redis.lines)
          const verdict = model().verdict(cost, clock.now())
          if (verdict.type === 'later')
            return { type: 'denied', verdict: { ...verdict, at: verdict.at && Math.max(verdict.at, now) } }
          const line: ReserveLine = { type: 'reserve', id, at: clock.now(), cost, owner }
          add([line])
          return { type: 'granted', id }
        })
      } catch (error) {
        doubtful.push(id)
        throw error
      }
    },
    settle: (id, outcome) => call(() => add([{ type: 'settle', id, outcome }])),
    windows: (now) => model().windows(now),
    async changed(signal) {
      const before = endings
      while (endings === before) {
        await clock.sleep(500, signal)
        await call(() => {})
      }
    },
    known: () => ({ lines: known, runners, heardAt }),
    async rejoin(lines) {
      rejoining += 1
      link.mostRejoins = Math.max(link.mostRejoins, rejoining)
      try {
        await call(() => add(lines))
      } finally {
        rejoining -= 1
      }
    },
  }
}
