import type { Command } from 'commander'
import { keyInTheWay } from '../../config/api-key.ts'
import { storableCaFile } from '../../config/ca-file.ts'
import { definitionOf, type SettingName, settingDefinitions, settingNames } from '../../config/setting-definitions.ts'
import { checkSetting, describeOrigin, type Profile, type Setting } from '../../config/settings.ts'
import type { Context } from '../../context/context.ts'
import { CliError, usageError } from '../../failures/cli-error.ts'
import { didYouMean } from '../../failures/did-you-mean.ts'
import { listProfiles, useProfile } from './profiles.ts'

/** What a subcommand does, its arguments included. */
type Action = (context: Context) => void | Promise<void>

export function register(command: Command, start: (action: Action) => void): void {
  command.description('Show and change settings.').helpCommand(false).addHelpText('after', examples)
  command
    .command('list')
    .description('list the settings in use')
    .option('--show-origin', 'show where each value comes from')
    .addHelpText('after', '\nExamples:\n  fh config list --show-origin')
    .action(({ showOrigin = false }: { showOrigin?: boolean }) => start((context) => list(showOrigin, context)))
  command
    .command('get <setting>')
    .description('print one setting, a ledger without its password')
    .addHelpText('after', '\nExamples:\n  fh config get max_wait')
    .action((name: string) => start((context) => get(settingName(name), context)))
  command
    .command('set <setting> <value>')
    .description('store a setting in the profile')
    .addHelpText(
      'after',
      "\nExamples:\n  fh config set max_wait 20m\n  fh config set key_command 'secret-tool lookup service fh'",
    )
    .action((name: string, value: string) => start((context) => set(settingName(name), value, context)))
  command
    .command('unset <setting>')
    .description('remove a setting from the profile')
    .addHelpText('after', '\nExamples:\n  fh config unset base_url --profile work')
    .action((name: string) => start((context) => unset(settingName(name), context)))
  command
    .command('path')
    .description('print the path of the config file')
    .addHelpText('after', '\nExamples:\n  fh config path')
    .action(() => start((context) => showValue(context.config.path, context)))
  command
    .command('profiles')
    .description('list the stored profiles, and which one is the default')
    .addHelpText('after', '\nExamples:\n  fh config profiles\n  fh config profiles | cut -f 1')
    .action(() => start(listProfiles))
  command
    .command('use <profile>')
    .description('make a profile the default')
    .addHelpText('after', '\nExamples:\n  fh config use work\n  fh config use default')
    .action((profile: string) => start((context) => useProfile(profile, context)))
}

const examples = `
A flag overrides the environment, which overrides the profile.
Settings: ${settingNames.join(', ')}

Examples:
  fh config list --show-origin
  fh config set max_wait 20m
  fh config use work`

export async function run(action: Action, context: Context): Promise<void> {
  await action(context)
}

function list(showOrigin: boolean, context: Context): void {
  const settings = context.settings()
  const listed = settingNames.flatMap((name) => {
    const setting = settings[name]
    return setting === undefined ? [] : [{ name, value: shownValue(name, setting), origin: originOf(setting, context) }]
  })
  context.reporter.report({ type: 'document', document: { type: 'settings', data: listed, showOrigin } })
  reportOutranked(settingNames, context)
  reportOtherProfiles(context)
}

function reportOtherProfiles({ profile, reporter }: Context): void {
  const { name, known } = profile()
  const others = known().filter((other) => other !== name)
  if (others.length === 0) return
  reporter.report({ type: 'note', note: { type: 'other-profiles', names: others } })
}

function get(name: SettingName, context: Context): void {
  const setting = context.settings()[name]
  if (setting === undefined) throw new CliError('not-set', `${name} is not set`, { hint: howToSet(name) })
  showValue(withoutSecrets(name, setting.value), context)
  reportOutranked([name], context)
}

function howToSet(name: SettingName): string {
  const { secret, stored, env } = definitionOf(name)
  if (secret) return 'Store it with fh login'
  return stored ? `Store it with fh config set ${name} VALUE` : `Set it with ${env?.name}`
}

async function set(name: SettingName, value: string, context: Context): Promise<void> {
  if (definitionOf(name).secret) {
    throw usageError('Other users of this machine can see a key on the command line', 'Use fh login instead')
  }
  if (!definitionOf(name).stored)
    throw usageError(`${name} cannot be stored`, `Set ${definitionOf(name).env?.name} instead`)
  checkSetting(name, value)
  const stored = await storable(name, value)
  const { config, reporter } = context
  const { name: profile } = context.profile()
  await config.changeProfile(profile, (before) => {
    if (name === 'base_url') assertNoKeyInTheWay(before, stored, context)
    return { ...before, [name]: stored }
  })
  reporter.report({
    type: 'effect',
    effect: { type: 'setting-stored', data: { profile, name, value: withoutSecrets(name, stored) } },
  })
  reportOutranked([name], context)
}

/** A value that means the same in every folder, and to every release. */
async function storable(name: SettingName, value: string): Promise<string> {
  if (name === 'base_url') return settingDefinitions.base_url.parse(value)
  return name === 'ca_cert' ? await storableCaFile(value) : value
}

/** A profile's key must not be sent to another service when its address changes. */
function assertNoKeyInTheWay(before: Profile, address: string, { profile }: Context): void {
  const { name, flag } = profile()
  const inTheWay = keyInTheWay(before, address)
  if (inTheWay === undefined) return
  const message = `The ${inTheWay} of profile ${name} belongs to another address than ${address}`
  const first = inTheWay === 'key_command' ? `First run fh config unset key_command${flag}` : ''
  const login = `Run fh login${flag} --base-url ${address} to store the address with its own key`
  throw usageError(message, first || login)
}

async function unset(name: SettingName, context: Context): Promise<void> {
  const { config, reporter } = context
  const { name: profile } = context.profile()
  const removed = config.profile(profile)[name] !== undefined
  if (removed) await config.changeProfile(profile, ({ [name]: _, ...rest }) => rest)
  const data = { profile, name, removed }
  reporter.report({ type: 'effect', effect: { type: 'setting-removed', data } })
}

/** Names the stored settings that a flag or the environment overrides, so that changing them has no effect now. */
function reportOutranked(names: readonly SettingName[], { config, settings, profile, reporter }: Context): void {
  const { name: holder } = profile()
  const [stored, used] = [config.profile(holder), settings()]
  for (const setting of names) {
    const origin = used[setting]?.origin
    if (stored[setting] === undefined || origin === undefined || origin.type === 'profile') continue
    const note = { type: 'outranked', setting, profile: holder, origin: describeOrigin(origin) } as const
    reporter.report({ type: 'note', note })
  }
}

function showValue(data: string, { reporter }: Context): void {
  reporter.report({ type: 'document', document: { type: 'value', data } })
}

function settingName(text: string): SettingName {
  const name = settingNames.find((candidate) => candidate === text.replaceAll('-', '_'))
  if (name !== undefined) return name
  const all = `Settings: ${settingNames.join(', ')}`
  throw usageError(`There is no setting ${JSON.stringify(text)}`, didYouMean(text, settingNames, all))
}

function shownValue(name: SettingName, { value }: Setting): string {
  if (definitionOf(name).secret) return '[redacted]'
  // A proxy URL may contain a password.
  return withoutSecrets(name, value).replace(/(?<=:\/\/)[^/@]*@/, '[redacted]@')
}

function withoutSecrets(name: SettingName, value: string): string {
  return definitionOf(name).redact?.(value) ?? value
}

function originOf({ origin }: Setting, { config }: Context): string {
  return origin.type === 'profile' ? `${describeOrigin(origin)} (${config.path})` : describeOrigin(origin)
}
