export type { ReadyRedisClient } from './log/redis/redis-line.ts'
export { type RedisLedgerOptions, redisLedger } from './pacing/fleet/redis-ledger.ts'
