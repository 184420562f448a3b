import type { Clock } from '../../src/clock.ts'
import { QuotaModel, type QuotaModelOptions } from '../../src/pacing/quota-model/quota-model.ts'
import { rowForm } from '../../src/pacing/shared/quota-state.ts'
import { StoreLedger } from '../../src/pacing/shared/store-ledger.ts'
import type { RedisConnection } from '../../src/store/redis/connection.ts'
import { RedisQuota } from '../../src/store/redis/quota.ts'
import { RedisSession } from '../../src/store/redis/session.ts'
import type { StoreError } from '../../src/store/store-error.ts'

interface RedisLedgerOptions extends QuotaModelOptions {
  readonly link: Pick<RedisConnection, 'run'>
  readonly clock: Clock
  /** Default: 0. */
  readonly patienceMs?: number
  readonly onOutage?: (problem: StoreError) => void
  readonly onReturn?: () => void
}

/** A ledger in Redis, the rows that it has, and its run. */
export function redisLedgerOver({ link, clock, patienceMs = 0, onOutage, onReturn, ...model }: RedisLedgerOptions) {
  const session = new RedisSession({ connection: link, clock })
  const quota = new RedisQuota({ connection: link, session, clock, form: rowForm, patienceMs, onOutage, onReturn })
  const ledger = new StoreLedger({ store: quota, clock, createModel: () => new QuotaModel(model) })
  return { quota, session, ledger }
}
