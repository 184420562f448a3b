import { StoreError } from '../store-error.ts'
import type { RedisConnection } from './connection.ts'
import script from './inspect.lua?text'
import { isNotPermitted, problemOf, rightsHint } from './problems.ts'

export interface RedisInspection {
  /** Such as `Redis 7.0.15` or `Valkey 8.1.0`; undefined where INFO is not permitted. */
  readonly software: string | undefined
  /** What may go wrong later: the server may drop keys of the ledger. */
  readonly warning: string | undefined
}

/**
 * Looks whether a ledger can work there: every command that its script runs is permitted, and a write succeeds.
 * @throws StoreError if not
 */
export async function inspectRedis(connection: Pick<RedisConnection, 'run'>): Promise<RedisInspection> {
  const answer = await connection.run(script, [])
  const [problems, ...info] = Array.isArray(answer) ? answer : []
  if (!Array.isArray(problems)) throw new StoreError('failed', 'Redis does not run scripts as it should')
  const refused = problems.map(([command, words]: unknown[]) => ({ command, words: String(words) }))
  const missing = refused.filter(({ words }) => isNotPermitted(words)).map(({ command }) => command)
  if (missing.length > 0) {
    const message = `Redis refuses its user the commands ${missing.join(', ')}, which a ledger needs`
    throw new StoreError('not-permitted', message, { hint: rightsHint('them') })
  }
  for (const { words } of refused) throw problemOf(words, { name: 'Redis', secrets: [] })
  return { software: softwareOf(info.join('\n')), warning: evictionOf(info.join('\n')) }
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:([\\w.-]{1,40})\\r?$`, 'm').exec(info)?.[1]
}

/** Valkey tells a version of Redis too. */
function softwareOf(info: string): string | undefined {
  const valkey = field(info, 'valkey_version')
  if (valkey !== undefined) return `Valkey ${valkey}`
  const redis = field(info, 'redis_version')
  return redis && `Redis ${redis}`
}

function evictionOf(info: string): string | undefined {
  const policy = field(info, 'maxmemory_policy')
  if (policy === undefined || policy === 'noeviction' || field(info, 'maxmemory') === '0') return undefined
  return `Redis may drop keys of the ledger when its memory is full: its maxmemory-policy is ${policy}, not noeviction`
}
