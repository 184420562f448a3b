import { type Clock, steadyMs } from '../../clock.ts'
import { openFleetLog } from '../../log/redis/fleet-log.ts'
import type { RedisLink } from '../../log/redis/redis-link.ts'
import type { LedgerLine } from '../quota-log/ledger-line.ts'
import { toLedgerLines } from './fleet-fold.ts'
import { quotaForm } from './fleet-history.ts'
import { movedLine } from './fleet-line.ts'

/** What a fleet's log tells to one who only looks. */
export interface FleetReading {
  /** Dated by this machine's clock. */
  readonly lines: readonly LedgerLine[]
  /** Runners that were heard of lately, without the one that looks. */
  readonly runners: number
  /** What Redis' time differs from this machine's clock, in milliseconds. */
  readonly aheadMs: number
  /** Since when Redis has lost nothing, in epoch milliseconds by this machine's clock. */
  readonly since: number
  /** Whether runners have added what is older, after a loss or after they could not reach it. */
  readonly hasLost: boolean
  /** How long Redis took for one answer over an open connection. */
  readonly roundTripMs: number
}

/**
 * Looks at a fleet's log without counting as one of its runners afterwards.
 * @throws FleetProblem
 */
export async function readFleet(link: RedisLink, clock: Clock): Promise<FleetReading> {
  const log = openFleetLog({ form: quotaForm, link, clock, deliver() {}, rebuild() {} })
  await log.read()
  const aheadMs = log.aheadMs()
  const { since } = log.epoch()
  const dated = log.lines()
  const runners = Math.max((log.runners() ?? 1) - 1, 0)
  const askedAt = steadyMs(clock)
  await log.leave()
  return {
    roundTripMs: steadyMs(clock) - askedAt,
    lines: toLedgerLines(dated).map((line) => movedLine(line, -aheadMs)),
    runners,
    aheadMs,
    since: since - aheadMs,
    hasLost: dated.some(({ at }) => at < since),
  }
}

/**
 * Lets all runners forget what they learned from refusals and answers; what was charged still counts.
 * @throws FleetProblem
 */
export async function unlearnFleet(link: RedisLink, clock: Clock): Promise<void> {
  const log = openFleetLog({ form: quotaForm, link, clock, deliver() {}, rebuild() {} })
  await log.append([{ type: 'unlearn' }])
  await log.leave()
}
