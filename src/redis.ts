export { type RedisLedgerOptions, redisLedger } from './pacing/fleet/redis-ledger.ts'
export type { LedgerProvider } from './pacing/ledger.ts'
