import { checkOptions, type OptionChecks } from '../../checks/options.ts'
import { aText } from '../../checks/values.ts'
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
 * package `@redis/client`.
 *
 * @param server `redis://user:password@host:6379/0`, `rediss://` for TLS
 * @throws TypeError if it is another address
 */
export function redisLedger(server: string | URL, options: RedisLedgerOptions = {}): LedgerProvider {
  checkOptions('redisLedger', options, optionChecks)
  const url = String(server)
  parseRedisUrl(url)
  return {
    open(account) {
      const fleet = openFleet({ url, ...options }, account)
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
