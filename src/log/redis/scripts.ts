import { createHash } from 'node:crypto'
import type { RedisScript } from './redis-link.ts'
import probe from './scripts/probe.lua?text'
import quotaReplace from './scripts/quota-replace.lua?text'
import quotaTurn from './scripts/quota-turn.lua?text'

export const redisScript = (text: string): RedisScript => ({
  text,
  digest: createHash('sha1').update(text).digest('hex'),
})

export const probeScript = redisScript(probe)
export const quotaTurnScript = redisScript(quotaTurn)
export const quotaReplaceScript = redisScript(quotaReplace)

/** The keys of an account's quota, in the order of KEYS in the scripts. The braces keep them on one node of a cluster. */
export function fleetKeys(account: string): readonly string[] {
  return ['quota', 'quota-rows', 'quota-runs'].map((name) => `fh1:{${account}}:${name}`)
}
