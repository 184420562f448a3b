import { type Clock, steadyMs } from '../../clock.ts'
import { type FleetLogOptions, type OpenLog, openFleetLog } from '../../log/redis/fleet-log.ts'
import { inspectRedis, type RedisInspection } from '../../log/redis/inspect-redis.ts'
import { openRedisLink } from '../../log/redis/redis-client-link.ts'
import { FleetProblem, type RedisLink } from '../../log/redis/redis-link.ts'
import { parseRedisUrl, shownRedisUrl } from '../../log/redis/redis-url.ts'
import { fleetKeys } from '../../log/redis/scripts.ts'
import { exactHash } from '../../system/account-hash.ts'
import type { Ledger, LedgerAccount, LedgerOutage } from '../ledger.ts'
import type { LedgerLine } from '../quota-log/ledger-line.ts'
import type { QuotaRow } from '../shared/quota-row.ts'
import { toLedgerLines } from './fleet-fold.ts'
import { quotaForm } from './fleet-history.ts'
import { movedLine } from './fleet-line.ts'
import { aloneFolder, openRunnerLedger, type RunnerLedger } from './runner-ledger.ts'

export type { RedisInspection }

export interface FleetOutage extends LedgerOutage {
  /** Whether it may pass by itself. */
  readonly isPassing: boolean
}

interface FleetOptions {
  /** `redis://` or `rediss://`. */
  readonly url: string
  /** Certificate authorities in PEM to trust besides those of Node. */
  readonly ca: string | undefined
  readonly baseUrl: string
  readonly apiKey: string
  readonly clock: Clock
}

/**
 * What the runners of a key share through one Redis server.
 * @throws TypeError if the URL is none of Redis
 */
export function openFleet({ url, ca, baseUrl, apiKey, clock }: FleetOptions) {
  const link = openRedisLink({ url, ca, clock, keys: fleetKeys(exactHash(baseUrl, apiKey)) })
  let runner: RunnerLedger | undefined
  return {
    /** The server, for messages: without user and password. */
    server: shownRedisUrl(url),
    /** The ledger of this process. Its `close` keeps the connection. */
    openLedger(account: LedgerAccount): Ledger {
      runner = openRunnerLedger(link, account, parseRedisUrl(url).runners)
      return runner.ledger
    },
    /** Where runners that are cut off count, of a folder for state. */
    aloneFolder,
    /** Another log of the same runners. Usable once the ledger is open. */
    openLog<Line>(options: Omit<FleetLogOptions<Line>, 'link' | 'clock' | 'runner'>): OpenLog<Line> {
      if (runner === undefined) throw new Error('The ledger is not open yet')
      const { heartbeat, log } = runner.fleet
      return { log: openFleetLog({ ...options, link: heartbeat, clock, runner: log.runner }), heartbeat }
    },
    /** What all runners used, as far as this one knows; undefined before it has a ledger. */
    counted: () => runner && asRows(runner.fleet.known()),
    /** The log of all runners, or why it cannot be read. */
    read: () => orOutage(readFleet(link, clock)),
    /** Lets all runners forget what they learned. @returns why it could not be done */
    unlearn: () => orOutage(unlearnFleet(link, clock)),
    /** Whether a ledger can work there. */
    inspect: () => orOutage(inspectRedis(link)),
    /** Tells the others that this runner is done, and ends the connection. */
    async close() {
      await runner?.leave()
      link.close()
    },
  }
}

export type OpenFleet = ReturnType<typeof openFleet>

async function orOutage<T>(answer: Promise<T>): Promise<T | FleetOutage> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof FleetProblem)) throw error
    const { message: reason, hint, isPassing } = error
    return { reason, hint, isPassing }
  }
}

/** A fleet's log as one sees it who only looks, and counts as none of its runners afterwards. */
const lookAt = (link: RedisLink, clock: Clock) =>
  openFleetLog({ form: quotaForm, link, clock, deliver() {}, rebuild() {} })

/** What a fleet's log tells. @throws FleetProblem */
async function readFleet(link: RedisLink, clock: Clock) {
  const log = lookAt(link, clock)
  await log.read()
  const aheadMs = log.aheadMs()
  const { since } = log.epoch()
  const dated = log.lines()
  const runners = Math.max((log.runners() ?? 1) - 1, 0)
  const askedAt = steadyMs(clock)
  await log.leave()
  return {
    /** How long Redis took for one answer over an open connection. */
    roundTripMs: steadyMs(clock) - askedAt,
    /** Dated by this machine's clock. */
    rows: asRows(toLedgerLines(dated).map((line) => movedLine(line, -aheadMs))),
    /** Runners that were heard of lately, without the one that looks. */
    runners,
    /** What Redis' time differs from this machine's clock, in milliseconds. */
    aheadMs,
    /** Since when Redis has lost nothing, in epoch milliseconds by this machine's clock. */
    since: since - aheadMs,
    /** Whether runners have added what is older, after a loss or after they could not reach it. */
    hasLost: dated.some(({ at }) => at < since),
  }
}

/** Which run a row is of matters to those alone that wait for it. */
function asRows(lines: readonly LedgerLine[]): readonly QuotaRow[] {
  return lines.map((line) => ('owner' in line ? { ...line, run: '' } : line))
}

export type FleetReading = Awaited<ReturnType<typeof readFleet>>

/**
 * Lets all runners forget what they learned from refusals and answers; what was charged still counts.
 * @throws FleetProblem
 */
export async function unlearnFleet(link: RedisLink, clock: Clock): Promise<void> {
  const log = lookAt(link, clock)
  await log.append([{ type: 'unlearn' }])
  await log.leave()
}
