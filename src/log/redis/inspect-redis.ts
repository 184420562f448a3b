import { FleetProblem } from '../../store/fleet-problem.ts'
import type { RedisLink } from './redis-link.ts'
import { neededRights, scriptCommands } from './redis-rights.ts'
import { probeScript } from './scripts.ts'

export interface RedisInspection {
  /** Such as `Redis 7.0.15` or `Valkey 8.1.0`; undefined where INFO is not permitted. */
  readonly software: string | undefined
  /** What may go wrong later: the server may drop keys of the ledger. */
  readonly warning: string | undefined
}

/**
 * Looks whether a ledger can work there: every command that its scripts run is permitted, and a write succeeds.
 * @throws FleetProblem if not
 */
export async function inspectRedis(link: RedisLink): Promise<RedisInspection> {
  const commands = Object.entries(scriptCommands).map(([name, args]) => [name, ...args].join('\n'))
  const missing = await link.run(probeScript, commands)
  if (!Array.isArray(missing)) throw new FleetProblem('failed', 'Redis does not run scripts as it should')
  if (missing.length > 0) {
    const message = `Redis refuses its user the commands ${missing.join(', ')}, which a ledger needs`
    throw new FleetProblem('not-permitted', message, {
      hint: `Allow them, in redis-cli: ACL SETUSER <user> ${neededRights}`,
    })
  }
  const info = [await infoOf(link, 'server'), await infoOf(link, 'memory')].join('\n')
  return { software: softwareOf(info), warning: evictionOf(info) }
}

/** Hosted servers may forbid it, which does no harm. */
async function infoOf(link: RedisLink, section: string): Promise<string> {
  try {
    return String(await link.send(['INFO', section]))
  } catch (error) {
    if (error instanceof FleetProblem && (error.kind === 'not-permitted' || error.kind === 'failed')) return ''
    throw error
  }
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
