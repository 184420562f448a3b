import { systemClock as clock } from '../../src/clock.ts'
import { accountKeys, RedisSession } from '../../src/store/redis/session.ts'
import { exactHash } from '../../src/system/account-hash.ts'
import { linkTo } from '../fleet/link-to-redis.ts'
import type { RedisServer } from './redis-server.ts'

/** Redis has known the uploads of this key for long enough that contents can be claimed. */
export async function settleRedis(redis: RedisServer, baseUrl: string, apiKey: string): Promise<void> {
  const connection = linkTo(redis.url, { keys: accountKeys(exactHash(baseUrl, apiKey)) })
  const session = new RedisSession({ connection, clock })
  await session.ask('read', 'slugs', 'none')
  await redis.age(31_000)
  await session.close()
}
