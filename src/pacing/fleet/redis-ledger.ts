import { checkOptions, type OptionChecks } from '../../checks/options.ts'
import { aText } from '../../checks/values.ts'
import { checkReadyClient, type ReadyRedisClient } from '../../store/redis/connection.ts'
import { parseRedisUrl } from '../../store/redis/url.ts'
import type { LedgerProvider } from '../ledger.ts'
import { openFleet } from './open-fleet.ts'

export interface RedisLedgerOptions {
  /** Certificate authorities in PEM to trust besides those of Node. Default: none. */
  readonly ca?: string | undefined
}

const optionChecks: OptionChecks<RedisLedgerOptions> = { ca: { ...aText, accepts: 'certificates in PEM' } }

/**
 * A ledger for all machines that use the same key of the same service: in Redis 6.2 or newer, or Valkey. It needs the
 * package `@redis/client` or `redis`, unless it gets a client.
 *
 * @param server `redis://user:password@host:6379/0`, `rediss://` for TLS; or a connected client of redis, ioredis or
 * iovalkey, which stays open
 * @throws TypeError if it is neither
 */
export function redisLedger(server: string | URL | ReadyRedisClient, options: RedisLedgerOptions = {}): LedgerProvider {
  checkOptions('redisLedger', options, optionChecks)
  const isUrl = typeof server === 'string' || server instanceof URL
  if (!isUrl) checkReadyClient(server)
  if (isUrl) parseRedisUrl(String(server))
  const place = isUrl ? { url: String(server), ...options } : { client: server }
  return {
    open(account) {
      const fleet = openFleet(place, account)
      const ledger = fleet.openLedger(account)
      return {
        ...ledger,
        close() {
          ledger.close?.()
          void fleet.close()
        },
      }
    },
  }
}
