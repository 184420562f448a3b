import { type Clock, steadyMs } from '../../clock.ts'
import { inspectRedis, type RedisInspection } from '../../log/redis/inspect-redis.ts'
import { openRedisLink } from '../../log/redis/redis-client-link.ts'
import type { RedisLink } from '../../log/redis/redis-link.ts'
import { RedisQuota } from '../../log/redis/redis-quota.ts'
import { shownRedisUrl } from '../../log/redis/redis-url.ts'
import { fleetKeys } from '../../log/redis/scripts.ts'
import { FleetProblem } from '../../store/fleet-problem.ts'
import { exactHash } from '../../system/account-hash.ts'
import type { Ledger, LedgerAccount, LedgerOutage } from '../ledger.ts'
import { createQuotaModel } from '../quota-model/quota-model.ts'
import { rowForm } from '../shared/compaction.ts'
import { movedRow, type QuotaRow, unlearnedRow } from '../shared/quota-row.ts'
import { StoreLedger } from '../shared/store-ledger.ts'

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
 * What the runs of a key share through one Redis server.
 * @throws TypeError if the URL is none of Redis
 */
export function openFleet({ url, ca, baseUrl, apiKey, clock }: FleetOptions) {
  const link = openRedisLink({ url, ca, clock, keys: fleetKeys(exactHash(baseUrl, apiKey)) })
  const quotas: RedisQuota<QuotaRow>[] = []
  return {
    /** The server, for messages: without user and password. */
    server: shownRedisUrl(url),
    /** The ledger of this process. Its `close` keeps the connection. */
    openLedger(account: LedgerAccount): Ledger {
      const { ledger, quota } = openRedisLedger(link, account)
      quotas.push(quota)
      return ledger
    },
    /** What all have used, as far as this run knows, by this machine's clock; undefined before it has a ledger. */
    counted(): readonly QuotaRow[] | undefined {
      const quota = quotas.at(-1)
      return quota?.known().map((row) => movedRow(row, -quota.aheadMs()))
    },
    /** The quota of all, or why it cannot be read. */
    read: () => orOutage(readFleet(link, clock)),
    /** Lets all runs forget what they learned. @returns why it could not be done */
    unlearn: () => orOutage(unlearnFleet(link, clock)),
    /** Whether a ledger can work there. */
    inspect: () => orOutage(inspectRedis(link)),
    /** Tells the others that this run is over, and ends the connection. */
    async close() {
      await Promise.allSettled(quotas.map((quota) => quota.leave()))
      link.close()
    },
  }
}

export type OpenFleet = ReturnType<typeof openFleet>

/** A call of the library waits so long for a server that cannot be reached. */
const PATIENCE_MS = 10_000

/** The ledger of one run in Redis. */
export function openRedisLedger(link: RedisLink, account: LedgerAccount) {
  const { clock, onOutage, onReturn, patienceMs = PATIENCE_MS } = account
  const quota = new RedisQuota({
    link,
    form: rowForm,
    clock,
    patienceMs,
    onOutage: ({ message, hint }) => onOutage?.({ reason: message, hint }),
    onReturn: () => onReturn?.(),
  })
  return { quota, ledger: new StoreLedger({ store: quota, clock, createModel: () => createQuotaModel(account) }) }
}

async function orOutage<T>(answer: Promise<T>): Promise<T | FleetOutage> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof FleetProblem)) throw error
    const { message: reason, hint, isPassing } = error
    return { reason, hint, isPassing }
  }
}

const lookAt = (link: RedisLink, clock: Clock) => new RedisQuota({ link, form: rowForm, clock, patienceMs: 0 })

/** What the quota of all adds up to. @throws FleetProblem */
async function readFleet(link: RedisLink, clock: Clock) {
  const quota = lookAt(link, clock)
  const rows = await quota.look()
  const askedAt = steadyMs(clock)
  await quota.look()
  const aheadMs = quota.aheadMs()
  const { since, live } = quota.state()
  return {
    /** How long Redis took for one answer over an open connection. */
    roundTripMs: steadyMs(clock) - askedAt,
    /** Dated by this machine's clock. */
    rows: rows.map((row) => movedRow(row, -aheadMs)),
    /** Runs that were heard of lately. */
    runners: live.size,
    /** What Redis' time differs from this machine's clock, in milliseconds. */
    aheadMs,
    /** Since when Redis has lost nothing, in epoch milliseconds by this machine's clock. */
    since: since - aheadMs,
    /** Whether it has lost something before. */
    hasLost: rows.some(({ type }) => type === 'lost'),
  }
}

export type FleetReading = Awaited<ReturnType<typeof readFleet>>

/**
 * Lets all runs forget what they learned from refusals and responses; what was charged still counts.
 * @throws FleetProblem
 */
export async function unlearnFleet(link: RedisLink, clock: Clock): Promise<void> {
  await lookAt(link, clock).replace((rows) => rows.map(unlearnedRow))
}
