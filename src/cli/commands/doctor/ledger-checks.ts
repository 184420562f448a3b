import { ConnectionError } from '../../../index.ts'
import { counted } from '../../../protocol/quantities.ts'
import type { FleetOutage, FleetReading } from '../../config/fleet.ts'
import type { Context } from '../../context/context.ts'
import { CliError } from '../../failures/cli-error.ts'
import { relativeTime } from '../../format/format.ts'
import { type CheckResult, clockVerdict, fail, type Look, ok, skip, warn } from './check.ts'

/** Checks the Redis server of the setting `ledger`; none where it is not set. Sends nothing to the service. */
export function ledgerLooks(context: Context): Readonly<Record<string, Look>> {
  if (context.settings().ledger === undefined) return {}
  let reading: FleetReading | undefined
  const onceRead = (judge: (reading: FleetReading) => CheckResult) => () =>
    reading === undefined ? skip('see the ledger check') : judge(reading)
  return {
    async ledger() {
      const fleet = await context.fleet().catch((error: unknown) => error as Error)
      if (fleet === undefined || fleet instanceof Error) return skip(`no account: ${fleet?.message}`)
      const inspection = await fleet.inspect()
      if ('reason' in inspection) return outage(inspection)
      const answer = await fleet.read()
      if ('reason' in answer) return outage(answer)
      reading = answer
      const { software = 'a server', warning } = inspection
      const within = `answers within ${Math.ceil(reading.roundTripMs)} ms`
      const message = `${software} at ${fleet.server} ${within} and permits all that is needed`
      if (warning === undefined) return ok(message)
      const hint = 'Set maxmemory-policy noeviction, or give the ledger a small server of its own'
      return warn(`${message}. ${warning}`, hint)
    },
    runners: onceRead((read) => runnersVerdict(read, context.clock.now())),
    'ledger-clock': onceRead(({ aheadMs }) => clockVerdict(-aheadMs, "Redis'")),
  }
}

function outage({ reason, hint, isPassing }: FleetOutage): CheckResult {
  const error = isPassing ? new ConnectionError(reason) : new CliError('ledger-unusable', reason)
  return fail(error, hint ?? 'Check FH_LEDGER or the ledger of the profile, and whether the server runs')
}

/** The longest window counts what was sent within so long. */
const DAY_MS = 86_400_000

function runnersVerdict({ runners, since, hasLost }: FleetReading, now: number): CheckResult {
  const seen = `${counted(runners, 'other runner')} seen within half a minute`
  if (!hasLost || now - since > DAY_MS) return ok(`${seen}; counted since ${new Date(since).toISOString()}`)
  const lost = `Redis began again ${relativeTime(since, now) ?? 'long ago'}`
  const hint = 'If it was not restarted: is its memory full, or does another program empty it?'
  return warn(`${seen}; ${lost}: it was restarted, or has lost data`, hint)
}
