export type { ReadyRedisClient } from './store/redis/connection.ts'
export { type RedisLedgerOptions, redisLedger } from './pacing/fleet/redis-ledger.ts'
