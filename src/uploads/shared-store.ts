import type { Clock } from '../clock.ts'
import { openRedisLink } from '../log/redis/redis-client-link.ts'
import { shownRedisUrl } from '../log/redis/redis-url.ts'
import { redisScript } from '../log/redis/scripts.ts'
import { RedisUploads, type RedisUploadsOptions } from '../store/redis-uploads.ts'
import { exactHash } from '../system/account-hash.ts'

export { SharedUploads } from '../store/shared-uploads.ts'

interface SharedAccount extends Omit<RedisUploadsOptions, 'way' | 'server'> {
  /** `redis://` or `rediss://`. */
  readonly url: string
  /** Certificate authorities in PEM to trust besides those of Node. */
  readonly ca: string | undefined
  readonly baseUrl: string
  readonly apiKey: string
  readonly clock: Clock
}

/** As redis-uploads.lua takes them. The braces keep the keys of an account on one node of a cluster. */
export function uploadKeys(account: string): readonly string[] {
  const names = ['uploads-state', 'uploads', 'slugs', 'items', 'sends', 'leases', 'writes']
  return names.map((name) => `fh1:{${account}}:${name}`)
}

/** What all runners of a key share of its uploads. No connection is made before it is used. */
export function openRedisUploads({ url, ca, baseUrl, apiKey, ...options }: SharedAccount): RedisUploads {
  const link = openRedisLink({ url, ca, clock: options.clock, keys: uploadKeys(exactHash(baseUrl, apiKey)) })
  const way = { run: (text: string, args: readonly string[]) => link.run(redisScript(text), args), close: link.close }
  return new RedisUploads({ ...options, way, server: shownRedisUrl(url) })
}
