import { ConnectionError } from '../../../index.ts'
import { counted } from '../../../protocol/quantities.ts'
import type { Fleet, FleetOutage, FleetReading, RedisInspection } from '../../config/fleet.ts'
import type { Context } from '../../context/context.ts'
import { CliError } from '../../failures/cli-error.ts'
import { formatDuration, relativeTime } from '../../format/format.ts'
import { type Check, fail, ok, skip, skipAll, warn } from './check.ts'

/** Checks the Redis server of the setting `ledger`; none where it is not set. Sends nothing to the service. */
export async function checkLedger(context: Context): Promise<readonly Check[]> {
  if (context.settings().ledger === undefined) return []
  let fleet: Fleet | undefined
  try {
    fleet = await context.fleet()
  } catch (error) {
    return [skip('ledger', `no account: ${error instanceof Error ? error.message : error}`), ...later]
  }
  if (fleet === undefined) return []
  const inspection = await fleet.inspect()
  if ('reason' in inspection) return [outageCheck(inspection), ...later]
  const reading = await fleet.read()
  if ('reason' in reading) return [outageCheck(reading), ...later]
  const now = context.clock.now()
  return [serverCheck(fleet.server, inspection, reading), runnersCheck(reading, now), timeCheck(reading)]
}

const later = skipAll(['runners', 'ledger-clock'], 'see the ledger check')

function outageCheck({ reason, hint, isPassing }: FleetOutage): Check {
  const error = isPassing ? new ConnectionError(reason) : new CliError('ledger-unusable', reason)
  return fail('ledger', error, hint ?? 'Check FH_LEDGER or the ledger of the profile, and whether the server runs')
}

function serverCheck(
  server: string,
  { software = 'a server', warning }: RedisInspection,
  reading: FleetReading,
): Check {
  const message = `${software} at ${server} answers within ${Math.ceil(reading.roundTripMs)} ms and permits all that is needed`
  if (warning === undefined) return ok('ledger', message)
  return warn(
    'ledger',
    `${message}. ${warning}`,
    'Set maxmemory-policy noeviction, or give the ledger a small server of its own',
  )
}

/** The longest window counts what was sent within so long. */
const DAY_MS = 86_400_000

function runnersCheck({ runners, since, hasLost }: FleetReading, now: number): Check {
  const seen = `${counted(runners, 'other runner')} seen within half a minute`
  const age = relativeTime(since, now) ?? 'long ago'
  if (!hasLost || now - since > DAY_MS) return ok('runners', `${seen}; counted since ${new Date(since).toISOString()}`)
  const message = `${seen}; Redis began again ${age}, with what runners still knew: it lost data, or could not be reached before`
  return warn('runners', message, 'If it was not restarted: is its memory full, or does another program empty it?')
}

/** Differences up to here are usual between machines. */
const TOLERATED_SKEW_MS = 5_000

function timeCheck({ aheadMs }: FleetReading): Check {
  if (Math.abs(aheadMs) <= TOLERATED_SKEW_MS) return ok('ledger-clock', "agrees with Redis' clock")
  const side = aheadMs < 0 ? 'ahead of' : 'behind'
  const message = `This machine's clock is ${formatDuration(Math.abs(aheadMs))} ${side} that of Redis`
  return warn('ledger-clock', message, 'Set the clocks, or enable network time: runners count by the clock of Redis')
}
