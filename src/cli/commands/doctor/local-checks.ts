import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { shellWord, usualShell } from '../../../environment/shell-word.ts'
import { ConnectionError } from '../../../index.ts'
import { counted } from '../../../protocol/quantities.ts'
import { makePrivateFolder, stateFolder } from '../../../system/private-folder.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import type { ProfileInUse } from '../../config/config-store.ts'
import type { Fleet, FleetOutage, FleetReading, RedisInspection } from '../../config/fleet.ts'
import { type SettingName, settingNames } from '../../config/setting-definitions.ts'
import { checkSetting, howToCorrect, placeInWords, type Setting } from '../../config/settings.ts'
import type { Context } from '../../context/context.ts'
import { CliError } from '../../failures/cli-error.ts'
import { describeFailure } from '../../failures/failure.ts'
import { formatDuration, relativeTime } from '../../format/format.ts'
import { type Check, fail, ok, skip, skipAll, warn } from './check.ts'

/** Whether the config file can be read, and all settings are valid. */
export function checkConfig({ config, settings, profile }: Context): Check {
  try {
    const current = settings()
    return settingNames.flatMap((name) => wrongSetting(name, current[name]))[0] ?? profileCheck(config.path, profile())
  } catch (error) {
    return fail('config', error)
  }
}

function wrongSetting(name: SettingName, setting: Setting | undefined): readonly Check[] {
  if (setting === undefined || setting.origin.type === 'default') return []
  try {
    checkSetting(name, setting.value, placeInWords(name, setting))
    return []
  } catch (error) {
    return [fail('config', error, describeFailure(error).hint ?? howToCorrect(name, setting))]
  }
}

function profileCheck(path: string, { name, place, flag, known }: ProfileInUse): Check {
  const names = known()
  if (place === undefined || names.includes(name)) return ok('config', `${path}, profile ${name}`)
  const message = `${path} has no profile ${name}, given by ${place}`
  return warn('config', message, `Profiles: ${names.join(', ') || 'none'}; fh login${flag} adds it`)
}

/** Whether the stored key is protected from other users. */
export async function checkPermissions({ config, io }: Context, platform = process.platform): Promise<Check> {
  if (platform === 'win32') return skip('permissions', 'Windows protects your folders from other users')
  const wanted = [
    { path: config.path, mode: 0o600 },
    // The user may share a folder of their own choice with others.
    ...(io.env['FH_CONFIG_DIR'] ? [] : [{ path: dirname(config.path), mode: 0o700 }]),
    ...(io.env['FH_STATE_DIR'] ? [] : [{ path: stateFolder(io.env), mode: 0o700 }]),
  ]
  const look = async ({ path, mode }: { readonly path: string; readonly mode: number }) => {
    const stats = await stat(path).catch(() => undefined)
    return { path, mode, actual: stats?.mode }
  }
  const found = await Promise.all(wanted.map(look))
  const open = found.filter(({ mode, actual }) => actual !== undefined && (actual & ~mode & 0o077) !== 0)
  if (open.length > 0) {
    const paths = open.map(({ path }) => path)
    const quotedPaths = paths.map((path) => shellWord(path, usualShell(io.env, platform)))
    const message = `Other users of this machine can open ${paths.join(', ')}`
    return warn('permissions', message, `Run chmod go= ${quotedPaths.join(' ')}`)
  }
  const there = found.filter(({ actual }) => actual !== undefined)
  return ok('permissions', there.length === 0 ? 'nothing is stored yet' : 'only you can read the stored files')
}

/** Whether the state folder, with ledger and journal, can be written. */
export async function checkState({ io }: Context): Promise<Check> {
  const folder = stateFolder(io.env)
  try {
    makePrivateFolder(folder)
    await access(folder, constants.W_OK | constants.X_OK)
    return ok('state', `${folder} can be written`)
  } catch (error) {
    const failure = new CliError('file-unwritable', `${folder} cannot be written: ${reasonOf(error)}`, { cause: error })
    return fail('state', failure, 'Check its permissions, or set FH_STATE_DIR to another folder')
  }
}

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
