import { installCommand } from '../../environment/install-command.ts'
import { FleetProblem } from '../../store/fleet-problem.ts'

/** The part of the package `@redis/client` that is used. */
export type RedisPackage = Pick<typeof import('@redis/client'), 'createClient'>

/** It has everything of `@redis/client`. */
const LARGER_PACKAGE = 'redis'

let loading: Promise<RedisPackage> | undefined

/**
 * Loads the client of Redis when it is first needed.
 * @throws FleetProblem if neither `@redis/client` nor `redis` is installed, or cannot be loaded
 */
export function loadRedisPackage(): Promise<RedisPackage> {
  loading ??= load()
  return loading
}

async function load(): Promise<RedisPackage> {
  try {
    return await import('@redis/client').catch((error: unknown) => {
      if (!isMissing(error)) throw error
      // By a name that bundlers do not follow: a program that bundles the one has not the other.
      return import(/* webpackIgnore: true */ /* @vite-ignore */ LARGER_PACKAGE)
    })
  } catch (error) {
    loading = undefined
    const install = installCommand('@redis/client')
    if (!isMissing(error)) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new FleetProblem('failed', `The package @redis/client cannot be loaded: ${reason}`, {
        hint: `Install it again: ${install}`,
      })
    }
    const message = 'A ledger in Redis needs the package @redis/client, which is not installed'
    throw new FleetProblem('package-missing', message, { hint: `Install it: ${install}` })
  }
}

function isMissing(error: unknown): boolean {
  return /^(ERR_)?MODULE_NOT_FOUND$/.test(String(Reflect.get(Object(error), 'code')))
}
