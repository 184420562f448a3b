export { type RedisLedgerOptions, redisLedger } from './fleet/redis-ledger.ts'
export type { ReadyRedisClient } from './fleet/redis-line.ts'
