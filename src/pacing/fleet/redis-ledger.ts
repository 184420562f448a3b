import { checkOptions, type OptionChecks } from '../../checks/options.ts'
import { aText } from '../../checks/values.ts'
import { checkReadyClient, openRedisLink } from '../../log/redis/redis-client-link.ts'
import type { ReadyRedisClient } from '../../log/redis/redis-line.ts'
import { parseRedisUrl } from '../../log/redis/redis-url.ts'
import { fleetKeys } from '../../log/redis/scripts.ts'
import { exactHash } from '../../system/account-hash.ts'
import type { LedgerProvider } from '../ledger.ts'
import { openRedisLedger } from './open-fleet.ts'

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
  return {
    open(account) {
      const { baseUrl, apiKey, clock } = account
      const common = { keys: fleetKeys(exactHash(baseUrl, apiKey)), clock }
      const link = openRedisLink(isUrl ? { url: String(server), ...options, ...common } : { client: server, ...common })
      const { ledger, quota } = openRedisLedger(link, account)
      return {
        ...ledger,
        close() {
          ledger.close()
          void quota
            .leave()
            .catch(() => {})
            .finally(() => link.close())
        },
      }
    },
  }
}
