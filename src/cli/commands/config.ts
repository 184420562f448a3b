import { resolve } from 'node:path'
import { Argument, type Command } from 'commander'
import { redactRedisUrl } from '../../store/redis/url.ts'
import { profileOf, usualProfile } from '../config/config-store.ts'
import { isSameService } from '../config/credentials.ts'
import { definitionOf, type SettingName, settingNames } from '../config/global-flags.ts'
import { parseSetting, readServiceAddress, type Setting } from '../config/settings.ts'
import type { Context, Start } from '../context/context.ts'
import { CliError, usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { printable } from '../format/format.ts'
import type { PlainDocument } from '../output/events.ts'

export function register(command: Command, start: Start): void {
  command.description('Show and change settings.').helpCommand(false).addHelpText('after', examples)
  const declare = (words: string, description: string, ...lines: readonly string[]) => {
    const example = lines.map((line) => `\n  fh config ${line}`).join('')
    return command.command(words).description(description).addHelpText('after', `\nExamples:${example}`)
  }
  declare('list', 'list the settings in use', 'list --show-origin')
    .option('--show-origin', 'show where each value comes from')
    .action(({ showOrigin = false }: { showOrigin?: boolean }) => start((context) => list(showOrigin, context)))
  const setting = new Argument('<setting>').choices(settingNames)
  declare('get', 'print one setting, a ledger without its password', 'get max_wait')
    .addArgument(setting)
    .action((name: SettingName) => start((context) => get(name, context)))
  const keyCommand = "set key_command 'secret-tool lookup service fh'"
  declare('set', 'store a setting in the profile', 'set max_wait 20m', keyCommand)
    .addArgument(setting)
    .argument('<value>')
    .action((name: SettingName, value: string) => start((context) => set(name, value, context)))
  declare('unset', 'remove a setting from the profile', 'unset base_url --profile work')
    .addArgument(setting)
    .action((name: SettingName) => start((context) => unset(name, context)))
  declare('path', 'print the path of the config file', 'path').action(() =>
    start(({ config, print }) => print(plainValue(config.path))),
  )
  const aboutProfiles = 'list the stored profiles, and which one is the default'
  declare('profiles', aboutProfiles, 'profiles', 'profiles | cut -f 1').action(() => start(listProfiles))
  declare('use <profile>', 'make a profile the default', 'use work', 'use default').action((profile: string) =>
    start((context) => useProfile(profile, context)),
  )
}

const examples = `
A flag overrides the environment, which overrides the profile.
Settings: ${settingNames.slice(0, 6).join(', ')},
${settingNames.slice(6).join(', ')}

Examples:
  fh config list --show-origin
  fh config set max_wait 20m
  fh config use work`

function list(showOrigin: boolean, context: Context): void {
  const { config, settings, print } = context
  const inUse = settings()
  const data = settingNames.flatMap((name) => {
    const setting = inUse[name]
    if (setting === undefined) return []
    const file = setting.source === 'profile' ? ` (${config.path})` : ''
    return [{ name, value: shownValue(name, setting), origin: `${setting.origin}${file}` }]
  })
  const lineOf = ({ name, value, origin }: (typeof data)[number]) =>
    `${name}=${printable(value)}${showOrigin ? `\t${origin}` : ''}`
  print({ data, text: data.map(lineOf).join('\n') })
}

function get(name: SettingName, context: Context): void {
  const setting = context.settings()[name]
  if (setting === undefined) {
    const hint = name === 'api_key' ? hints.account(context.profile().flag) : hints.set(name)
    throw new CliError('not-set', `${name} is not set`, { hint })
  }
  context.print(plainValue(withoutSecrets(name, setting.value)))
}

function plainValue(data: string): PlainDocument {
  return { data, text: printable(data) }
}

async function set(name: SettingName, value: string, context: Context): Promise<void> {
  const { stored: isStored = true, variable } = definitionOf(name)
  if (name === 'api_key') throw usageError(`${name} cannot be set here`, hints.secretKey)
  if (!isStored) throw usageError(`${name} cannot be stored: set ${variable}`)
  if (value.trim() === '') throw usageError(`${name} must not be empty`, hints.unset(name))
  parseSetting(name, value, name)
  // It means the same in every folder, and to every release.
  const stored = name === 'base_url' ? readServiceAddress(value) : name === 'ca_cert' ? resolve(value) : value
  const { name: profile, flag } = context.profile()
  await context.config.changeProfile(profile, (before) => {
    const { api_key: key, base_url: address = '' } = before
    // It would be sent to another service.
    if (name === 'base_url' && key !== undefined && !isSameService(address, stored)) {
      const message = `The stored key of profile ${profile} belongs to another address than ${stored}`
      throw usageError(message, hints.keyWithAddress(`${flag} --base-url ${stored}`))
    }
    return { ...before, [name]: stored }
  })
  const data = { profile, name, value: withoutSecrets(name, stored) }
  context.tell({ data, text: `Set ${name} in profile ${profile}` })
}

async function unset(name: SettingName, { config, profile: inUse, tell }: Context): Promise<void> {
  const { name: profile, stored } = inUse()
  const removed = stored[name] !== undefined
  if (removed) await config.changeProfile(profile, ({ [name]: _, ...rest }) => rest)
  const text = removed ? `Removed ${name} from profile ${profile}` : `${name} is not set in profile ${profile}`
  tell({ data: { profile, name, removed }, text })
}

function shownValue(name: SettingName, { value }: Setting): string {
  if (name === 'api_key') return '[redacted]'
  // A proxy URL may contain a password.
  return withoutSecrets(name, value).replace(/(?<=:\/\/)[^/]*@/, '[redacted]@')
}

function withoutSecrets(name: SettingName, value: string): string {
  return name === 'ledger' ? redactRedisUrl(value) : value
}

function listProfiles(context: Context): void {
  const { profile, note, print } = context
  const { byDefault, profiles } = profile()
  const data = Object.entries(profiles).map(([name, { base_url = null, api_key, key_command }]) => ({
    name,
    base_url,
    // Where its key comes from; null where it has none.
    key: api_key === undefined ? (key_command === undefined ? null : 'key_command') : 'stored',
    default: name === byDefault,
  }))
  const rows = data.map(({ name, base_url, key, default: isDefault }) =>
    [name, base_url ?? '-', key ?? '-', isDefault ? 'default' : ''].map(printable),
  )
  print({ data, text: rows.map((row) => row.join('\t')).join('\n') })
  if (data.length === 0) note(hints.profiles([]))
}

async function useProfile(wanted: string, context: Context): Promise<void> {
  const { config, profile, tell } = context
  const names = Object.keys(profile().profiles)
  if (wanted !== usualProfile && !names.includes(wanted)) {
    throw usageError(`There is no profile ${JSON.stringify(wanted)}`, hints.profiles(names))
  }
  await config.chooseProfile(wanted)
  const { base_url = null } = profileOf(config.stored(), wanted)
  const text = `Profile ${wanted} is now the default: ${printable(base_url ?? 'fh login stores its address and key')}`
  tell({ data: { profile: wanted, base_url }, text })
}
