import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Dialect, EmulatorOptions } from '../../../../emulator/index.ts'
import { parseJson } from '../../../checks/json.ts'
import { parseQuotaLimits } from '../../../environment/quota-limits.ts'
import type { QuotaLimits } from '../../../index.ts'
import { isKey } from '../../../protocol/endpoints.ts'
import { unlimited } from '../../../protocol/rate-limits.ts'
import type { Environment } from '../../../system/environment.ts'
import { usageError } from '../../failures/cli-error.ts'
import { parseByteSize } from '../../format/format.ts'
import { wholeNumberFlag } from '../../input/flag-values.ts'

export type EmulateOptions = ReturnType<typeof toEmulateOptions>

/** The flags that `createEmulator` takes as they are. */
const sharedFlags = ['apiKey', 'clock', 'controlToken', 'data', 'dialect', 'seed', 'siteUrl'] as const

type SharedFlags = Pick<EmulatorOptions, (typeof sharedFlags)[number]>

/** The flags as commander returns them. */
export interface EmulateFlags extends SharedFlags {
  readonly host?: string
  readonly port?: number
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly quota?: QuotaLimits | boolean
  readonly maxFileSize?: number
  readonly export?: string
  readonly har?: string
  readonly strictClient?: boolean
  readonly set?: readonly SettingAssignment[]
}

/** The default port without a command. Several emulators with commands may run at a time, so they use free ports. */
export const usualPort = 4884
const dialects: readonly Dialect[] = ['spec', 'laravel', 'hostile']

export const parsePort = wholeNumberFlag(0, 65_535, 'Give a number from 0 to 65535.')

export const parseToken = keyParser('A token')

export function registerEmulateFlags(command: Command): Command {
  return command
    .optionsGroup('Where it listens:')
    .option('--host <host>', 'address to listen on (127.0.0.1)')
    .option('--port <n>', `port, 0 = any free (${usualPort}; with a command 0)`, parsePort)
    .option('--tls-cert <file>', 'use https with this certificate (PEM)')
    .option('--tls-key <file>', 'private key of the certificate (PEM)')
    .option('--site-url <url>', 'address of the website in links (its own)', checkSiteUrl)
    .option('--control-token <token>', 'what other machines need to control it', parseToken)
    .optionsGroup('What it holds:')
    .option('--data <folder>', 'keep all state in this folder across runs')
    .option('--seed <file>', 'start with the accounts and uploads of a JSON file')
    .option('--export <file>', 'write the state to a file at the end')
    .option('--har <file>', 'write the requests to a HAR file at the end')
    .option('--api-key <key>', 'API key of the first account (generated)', keyParser('A key'))
    .optionsGroup('How it behaves:')
    .option('--quota <limits>', 'such as burst=20,minute=60,hour=1000', asArgument(parseQuotaLimits))
    .option('--no-quota', 'no quota limits')
    .option('--max-file-size <size>', 'largest file accepted (200MB)', asArgument(parseByteSize))
    .addOption(new Option('--dialect <name>', 'where the API is vague').choices(dialects))
    .option('--set <name=value>', 'change a setting of the service; repeatable', asArgument(addSetting))
    .addOption(new Option('--clock <kind>', 'its clock').choices(['system', 'virtual', 'auto']))
    .option('--strict-client', 'fail at the end if a client ignored the quota')
}

/** @param command the words after -- */
export function toEmulateOptions(flags: EmulateFlags, command: readonly string[]) {
  const { host = '127.0.0.1', port, tlsCert: cert, tlsKey: key, quota, maxFileSize, set = [] } = flags
  const { export: statePath, har: harPath, strictClient } = flags
  if ((cert === undefined) !== (key === undefined)) throw usageError('Give --tls-cert and --tls-key together')
  const given = sharedFlags.filter((name) => flags[name] !== undefined).map((name) => [name, flags[name]])
  return {
    host,
    /** Default: 4884; with a command, any free port. */
    port,
    /** Paths of PEM files; undefined = plain HTTP. */
    tls: cert === undefined || key === undefined ? undefined : { cert, key },
    ...{ statePath, harPath, strictClient },
    /** What `createEmulator` takes; it knows the defaults. */
    emulator: {
      ...(Object.fromEntries(given) as SharedFlags),
      ...(typeof quota === 'object' && { quotas: quota }),
      ...(quota === false && { quotas: unlimited }),
      ...(maxFileSize !== undefined && { maxFileSizeBytes: maxFileSize }),
      // Of several settings of one name, the last counts.
      settings: Object.fromEntries(set),
    },
    /** Command to run; the emulator ends with it. Empty = run until stopped. */
    command,
  }
}

/**
 * The control token: --control-token, else FH_CONTROL_TOKEN, which no other user sees in the list of processes.
 * @throws CliError of code `usage`
 */
export function controlTokenOf(flag: string | undefined, env: Environment): string | undefined {
  const token = flag ?? (env['FH_CONTROL_TOKEN'] || undefined)
  if (token === undefined || isKey(token)) return token
  throw usageError('FH_CONTROL_TOKEN: a token has no spaces and no special letters')
}

/** @param what names it in the message */
function keyParser(what: string): (text: string) => string {
  return (text) => {
    if (isKey(text)) return text
    throw new InvalidArgumentError(`${what} has no spaces and no special letters.`)
  }
}

const addSetting = (text: string, earlier: readonly SettingAssignment[] = []): readonly SettingAssignment[] => [
  ...earlier,
  parseSettingAssignment(text),
]

/** Turns a parser's error into one that commander shows for the argument. */
function asArgument<T>(parse: (text: string, earlier?: T) => T): (text: string, earlier?: T) => T {
  return (text, earlier) => {
    try {
      return parse(text, earlier)
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? `${error.message}.` : String(error))
    }
  }
}

function checkSiteUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text.replace(/(?<!\/)\/+$/, '')
  throw new InvalidArgumentError('Give an http or https URL.')
}

/** A setting of the emulator and its new value, which the emulator checks. */
export type SettingAssignment = readonly [name: string, value: unknown]

/**
 * Reads `quota_windows=sliding`, `visible_after_ms=500` or `quotas={"burst":5}`: JSON where it parses, else text.
 * @throws TypeError if the name or the value is missing
 */
export function parseSettingAssignment(text: string): SettingAssignment {
  const [, name, value] = /^\s*([a-z_]+)\s*=(.+)$/is.exec(text) ?? []
  if (name === undefined || value === undefined) {
    throw new TypeError(`${JSON.stringify(text)} is not a setting: write NAME=VALUE, such as quota_windows=sliding`)
  }
  const json = parseJson(value)
  return [name, json === undefined ? value.trim() : json]
}
