import { StoreError } from '../store-error.ts'
import type { RedisConnection } from './connection.ts'
import { rightsHint, scriptCommands } from './problems.ts'

export interface RedisInspection {
  /** Such as `Redis 7.0.15` or `Valkey 8.1.0`; undefined where INFO is not permitted. */
  readonly software: string | undefined
  /** What may go wrong later: the server may drop keys of the ledger. */
  readonly warning: string | undefined
}

type Asked = Pick<RedisConnection, 'keys' | 'send'>

/**
 * Looks whether a ledger can work there: every command that its script runs is permitted, and a write succeeds.
 * @throws StoreError if not
 */
export async function inspectRedis(connection: Asked): Promise<RedisInspection> {
  const probed = `${connection.keys[0]}:probe`
  const commands = Object.entries(scriptCommands).map(([name, args]) => [
    name,
    ...(name === 'TIME' ? [] : [probed]),
    ...args,
  ])
  const needed = [['SET', probed, '1', 'PX', '1000'], ['EVALSHA', '0'.repeat(40), '0'], ...commands]
  const missing = new Set<string>()
  for (const command of needed) if (await isRefused(connection, command)) missing.add(String(command[0]))
  if (missing.size > 0) {
    const message = `Redis refuses its user the commands ${[...missing].join(', ')}, which a ledger needs`
    throw new StoreError('not-permitted', message, { hint: rightsHint('them') })
  }
  const answer = await connection.send(['EVAL', 'return 1', '0'])
  if (answer !== 1) throw new StoreError('failed', 'Redis does not run scripts as it should')
  const info = `${await infoOf(connection, 'server')}\n${await infoOf(connection, 'memory')}`
  return { software: softwareOf(info), warning: evictionOf(info) }
}

/** A permitted command may fail for its arguments. @throws StoreError where Redis cannot be used for another reason */
async function isRefused(connection: Asked, command: readonly string[]): Promise<boolean> {
  try {
    await connection.send(command)
    return false
  } catch (error) {
    if (!(error instanceof StoreError) || !['failed', 'not-permitted'].includes(error.failure)) throw error
    return error.failure === 'not-permitted' || error.message.includes('does not run')
  }
}

/** Hosted servers may forbid it, which does no harm. */
async function infoOf(connection: Asked, section: string): Promise<string> {
  return (await isRefused(connection, ['INFO', section])) ? '' : String(await connection.send(['INFO', section]))
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
