import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { shellWord, usualShell } from '../../../environment/shell-word.ts'
import { makePrivateFolder } from '../../../system/private-file.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import { stateFolder } from '../../../system/user-folders.ts'
import { refuseEmptyKey } from '../../config/api-key.ts'
import { settingNames } from '../../config/setting-definitions.ts'
import { checkSetting, howToCorrect, placeInWords } from '../../config/settings.ts'
import type { Context } from '../../context/context.ts'
import { CliError } from '../../failures/cli-error.ts'
import { describeFailure } from '../../failures/failure.ts'
import { type CheckResult, fail, type Look, ok, skip, warn } from './check.ts'

export function localLooks(context: Context): Readonly<Record<'config' | 'permissions' | 'state', Look>> {
  return {
    config: () => checkConfig(context),
    permissions: () => checkPermissions(context),
    state: () => checkState(context),
  }
}

/** Whether the config file can be read, and all settings are valid. */
function checkConfig({ config, settings, profile }: Context): CheckResult {
  const given = settings()
  refuseEmptyKey(given)
  for (const settingName of settingNames) {
    const setting = given[settingName]
    if (setting === undefined || setting.origin.type === 'default') continue
    try {
      checkSetting(settingName, setting.value, placeInWords(settingName, setting))
    } catch (error) {
      return fail(error, describeFailure(error).hint ?? howToCorrect(settingName, setting))
    }
  }
  const { name, place, flag, known } = profile()
  const names = known()
  if (place === undefined || names.includes(name)) return ok(`${config.path}, profile ${name}`)
  const hint = `Profiles: ${names.join(', ') || 'none'}; fh login${flag} adds it`
  return warn(`${config.path} has no profile ${name}, given by ${place}`, hint)
}

/** Whether the stored key is protected from other users. */
async function checkPermissions({ config, io: { env } }: Context): Promise<CheckResult> {
  if (process.platform === 'win32') return skip('Windows protects your folders from other users')
  const wanted = [
    { path: config.path, mode: 0o600 },
    // The user may share a folder of their own choice with others.
    ...(env['FH_CONFIG_DIR'] ? [] : [{ path: dirname(config.path), mode: 0o700 }]),
    ...(env['FH_STATE_DIR'] ? [] : [{ path: stateFolder(env), mode: 0o700 }]),
  ]
  const look = async ({ path, mode }: (typeof wanted)[number]) => {
    const stats = await stat(path).catch(() => undefined)
    return stats === undefined ? [] : [{ path, isOpen: (stats.mode & ~mode & 0o077) !== 0 }]
  }
  const found = (await Promise.all(wanted.map(look))).flat()
  const open = found.flatMap(({ path, isOpen }) => (isOpen ? [path] : []))
  if (open.length === 0) return ok(found.length === 0 ? 'nothing is stored yet' : 'only you can read the stored files')
  const words = open.map((path) => shellWord(path, usualShell(env)))
  return warn(`Other users of this machine can open ${open.join(', ')}`, `Run chmod go= ${words.join(' ')}`)
}

/** Whether the state folder, with the used quota and the uploads, can be written. */
async function checkState({ io }: Context): Promise<CheckResult> {
  const folder = stateFolder(io.env)
  try {
    makePrivateFolder(folder)
    await access(folder, constants.W_OK | constants.X_OK)
    return ok(`${folder} can be written`)
  } catch (error) {
    const hint = 'Check its permissions, or set FH_STATE_DIR to another folder'
    return fail(new CliError('file-unwritable', `${folder} cannot be written: ${reasonOf(error)}`), hint)
  }
}
