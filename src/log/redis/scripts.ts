import { createHash } from 'node:crypto'
import type { RedisScript } from './redis-link.ts'
import compact from './scripts/compact.lua?text'
import prelude from './scripts/prelude.lua?text'
import probe from './scripts/probe.lua?text'
import sync from './scripts/sync.lua?text'

export const redisScript = (text: string): RedisScript => ({
  text,
  digest: createHash('sha1').update(text).digest('hex'),
})

export const syncScript = redisScript(`${prelude}\n${sync}`)
export const compactScript = redisScript(`${prelude}\n${compact}`)
export const probeScript = redisScript(probe)

/** The keys of one account's fleet, in the order of KEYS in every script. The braces keep them on one node of a cluster. */
export function fleetKeys(account: string): readonly string[] {
  const names = ['state', 'log', 'base', 'record', 'seen', 'runners', 'contents', 'contents-base']
  return names.map((name) => `fh1:{${account}}:${name}`)
}
