import { systemClock } from '../../src/clock.ts'
import { redisScript } from '../../src/log/redis/scripts.ts'
import { RedisUploads } from '../../src/store/redis-uploads.ts'
import { exactHash } from '../../src/system/account-hash.ts'
import { uploadKeys } from '../../src/uploads/shared-store.ts'
import { linkTo } from '../fleet/link-to-redis.ts'
import type { RedisServer } from './redis-server.ts'

/** Redis has known the uploads of this key for long enough that contents can be claimed. */
export async function settleRedis(redis: RedisServer, baseUrl: string, apiKey: string): Promise<void> {
  const link = linkTo(redis.url, { keys: uploadKeys(exactHash(baseUrl, apiKey)) })
  const way = { run: (text: string, args: readonly string[]) => link.run(redisScript(text), args), close() {} }
  const options = { server: redis.url, clock: systemClock, maxWaitMs: 0, stopping: AbortSignal.abort(), onSilent() {} }
  const uploads = new RedisUploads({ way, ...options })
  await uploads.owners(['none'])
  await redis.age(31_000)
  await uploads.close()
}
