import type { Clock } from '../../src/clock.ts'
import type { RedisLink } from '../../src/log/redis/redis-link.ts'
import { RedisQuota } from '../../src/log/redis/redis-quota.ts'
import { createQuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import type { QuotaModelOptions } from '../../src/pacing/quota-model/quota-model-options.ts'
import { rowForm } from '../../src/pacing/shared/compaction.ts'
import { StoreLedger } from '../../src/pacing/shared/store-ledger.ts'
import type { FleetProblem } from '../../src/store/fleet-problem.ts'

interface RedisLedgerOptions extends QuotaModelOptions {
  readonly link: Pick<RedisLink, 'run'>
  readonly clock: Clock
  /** Default: 0. */
  readonly patienceMs?: number
  readonly onOutage?: (problem: FleetProblem) => void
  readonly onReturn?: () => void
}

/** A ledger in Redis, and the rows that it has. */
export function redisLedgerOver({ link, clock, patienceMs = 0, onOutage, onReturn, ...model }: RedisLedgerOptions) {
  const reports = { ...(onOutage && { onOutage }), ...(onReturn && { onReturn }) }
  const quota = new RedisQuota({ link, clock, form: rowForm, patienceMs, ...reports })
  return { quota, ledger: new StoreLedger({ store: quota, clock, createModel: () => createQuotaModel(model) }) }
}
