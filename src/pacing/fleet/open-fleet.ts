import { RedisConnection, type RedisConnectionOptions } from '../../store/redis/connection.ts'
import { RedisQuota } from '../../store/redis/quota.ts'
import { accountKeys, RedisSession, type RedisSessionOptions } from '../../store/redis/session.ts'
import { shownRedisUrl } from '../../store/redis/url.ts'
import { StoreError } from '../../store/store-error.ts'
import { exactHash } from '../../system/account-hash.ts'
import type { Ledger, LedgerAccount } from '../ledger.ts'
import { QuotaModel } from '../quota-model/quota-model.ts'
import { type QuotaRow, unlearnedRow } from '../shared/quota-row.ts'
import { rowForm } from '../shared/quota-state.ts'
import { StoreLedger } from '../shared/store-ledger.ts'

/** The account that runs share. */
type FleetAccount = Pick<LedgerAccount, 'baseUrl' | 'apiKey' | 'clock'>
type FleetServer = Pick<RedisConnectionOptions, 'url' | 'ca'>

/** A call of the library waits so long for a server that cannot be reached. */
const PATIENCE_MS = 10_000

/**
 * What the runners of a key share through one Redis server, by one connection.
 * @throws TypeError if the URL is none of Redis
 */
export function openFleet(server: FleetServer, { baseUrl, apiKey, clock }: FleetAccount) {
  const connection = new RedisConnection({ ...server, clock, keys: accountKeys(exactHash(baseUrl, apiKey)) })
  const session = new RedisSession({ connection, clock })
  const quotas: RedisQuota<QuotaRow>[] = []
  const looking = { connection, clock }
  return {
    /** The server, for messages: without user and password. */
    server: shownRedisUrl(server.url),
    /** This run, for what it does besides counting. */
    session,
    /** The ledger of this process. Its `close` keeps the connection. */
    openLedger(account: LedgerAccount): Ledger {
      const { onOutage, onReturn, patienceMs = PATIENCE_MS } = account
      const report = ({ message, hint }: StoreError) => onOutage?.({ reason: message, hint })
      const quota = new RedisQuota({ ...looking, session, form: rowForm, patienceMs, onOutage: report, onReturn })
      quotas.push(quota)
      return new StoreLedger({ store: quota, clock, createModel: () => new QuotaModel(account) })
    },
    /** What all have used, as far as this run knows; undefined before it has a ledger. */
    counted: (): readonly QuotaRow[] | undefined => quotas.at(-1)?.known(),
    /** The quota of all, and how many runs were heard of lately; or why it cannot be read. */
    read(): Promise<FleetReading | StoreError> {
      const quota = lookAt(looking)
      return orError(quota.look().then((rows) => ({ rows, runners: quota.runners })))
    },
    /** Lets all runs forget what they learned. @returns why it could not be done */
    unlearn: () => orError(unlearnFleet(looking)),
    /** Tells the others that this run is over, and ends the connection. */
    async close() {
      await Promise.all(quotas.map((quota) => quota.leave()))
      await session.close()
      connection.close()
    },
  }
}

export type OpenFleet = ReturnType<typeof openFleet>

async function orError<T>(answer: Promise<T>): Promise<T | StoreError> {
  return await answer.catch((error: unknown) => {
    if (error instanceof StoreError) return error
    throw error
  })
}

/** A run that only looks counts for none. */
const lookAt = (looking: RedisSessionOptions) => new RedisQuota({ ...looking, form: rowForm, patienceMs: 0 })

export interface FleetReading {
  readonly rows: readonly QuotaRow[]
  readonly runners: number
}

/**
 * Lets all runs forget what they learned from refusals and responses; what was charged still counts.
 * @throws StoreError
 */
export async function unlearnFleet(looking: RedisSessionOptions): Promise<void> {
  await lookAt(looking).replace((rows) => rows.map(unlearnedRow))
}
