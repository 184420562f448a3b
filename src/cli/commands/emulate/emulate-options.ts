import { type Command, InvalidArgumentError, Option } from 'commander'
import type { QuotaLimits } from '../../../index.ts'
import { isKey, unlimited } from '../../../internal.ts'
import { parseQuotaLimits } from '../../config/quota-limits.ts'
import { parseSettingAssignment, type SettingAssignment } from '../../config/setting-assignment.ts'
import { parseByteSize } from '../../output/format/byte-size.ts'
import { type EmulatorExposure, type ExposureFlags, registerExposure, toExposure } from './emulator-exposure.ts'

export interface EmulateOptions {
  readonly action: 'serve'
  readonly host: string
  /** Default: 4884, with a command any that is free. */
  readonly port?: number | undefined
  readonly apiKey?: string | undefined
  /** Those of the service, or what they were changed to in the data, unless given. */
  readonly quotas?: QuotaLimits | undefined
  readonly maxFileSizeBytes?: number | undefined
  /** A folder that keeps everything; nothing is kept without. */
  readonly data?: string | undefined
  /** A JSON file with what is there at the start. */
  readonly seed?: string | undefined
  /** Where the state is written at the end. */
  readonly export?: string | undefined
  /** Whether the run fails where its clients did not heed what they were told. */
  readonly strictClient: boolean
  readonly clock: 'system' | 'virtual'
  readonly dialect?: (typeof dialects)[number] | undefined
  /** Settings that differ from those of the dialect, the last of each name counting. */
  readonly settings: readonly SettingAssignment[]
  readonly exposure: EmulatorExposure
  /** Run against the emulator, which ends with it; empty = run until stopped. */
  readonly command: readonly string[]
}

/** What commander makes of the flags. */
export interface EmulateFlags extends ExposureFlags {
  readonly host: string
  readonly port?: number
  readonly apiKey?: string
  /** False with --no-quota. */
  readonly quota?: QuotaLimits | boolean
  readonly maxFileSize?: number
  readonly data?: string
  readonly seed?: string
  readonly export?: string
  readonly strictClient?: boolean
  readonly clock: 'system' | 'virtual'
  readonly dialect?: (typeof dialects)[number]
  readonly set?: readonly SettingAssignment[]
}

/** Unless a command is run: those may be several at a time. */
export const usualPort = 4884
const dialects = ['spec', 'laravel', 'hostile'] as const

/** Declares the flags of `fh emulate`. */
export function registerEmulateFlags(command: Command): Command {
  return registerExposure(command)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .addOption(new Option('--port <n>', `port, 0 = any free (${usualPort}; with a command 0)`).argParser(parsePort))
    .option('--data <folder>', 'keep everything in a folder, and find it there again')
    .option('--seed <file>', 'begin with the accounts, uploads and settings of a JSON file')
    .option('--export <file>', 'write the state to a file at the end, however it ends')
    .option('--strict-client', 'fail at the end if a client waited too little, repeated an upload or wasted units')
    .option('--api-key <key>', 'API key of the first account (generated)', asArgument(checkKey))
    .addOption(
      new Option('--quota <limits>', 'such as burst=20,minute=60,hour=1000,day=10000').argParser(
        asArgument(parseQuotaLimits),
      ),
    )
    .option('--no-quota', 'refuse nothing for quota')
    .addOption(new Option('--max-file-size <size>', 'largest file taken (200MB)').argParser(asArgument(parseByteSize)))
    .addOption(
      new Option('--clock <kind>', 'virtual = moved by the control API only')
        .choices(['system', 'virtual'])
        .default('system'),
    )
    .addOption(new Option('--dialect <name>', 'how the service does what the spec leaves open').choices(dialects))
    .addOption(
      new Option('--set <name=value>', 'one setting of the service; may be repeated').argParser(asArgument(addSetting)),
    )
}

/** What the flags ask for, with the command that follows --. */
export function toEmulateOptions(flags: EmulateFlags, command: readonly string[]): EmulateOptions {
  return {
    action: 'serve',
    host: flags.host,
    port: flags.port,
    apiKey: flags.apiKey,
    quotas: typeof flags.quota === 'object' ? flags.quota : flags.quota === false ? unlimited : undefined,
    maxFileSizeBytes: flags.maxFileSize,
    data: flags.data,
    seed: flags.seed,
    export: flags.export,
    strictClient: flags.strictClient ?? false,
    clock: flags.clock,
    dialect: flags.dialect,
    settings: flags.set ?? [],
    exposure: toExposure(flags),
    command,
  }
}

/** @throws InvalidArgumentError */
export function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('Give a number from 0 to 65535.')
}

function checkKey(text: string): string {
  if (isKey(text)) return text
  throw new TypeError('A key has no spaces and no special letters')
}

function addSetting(text: string, earlier: readonly SettingAssignment[] = []): readonly SettingAssignment[] {
  return [...earlier, parseSettingAssignment(text)]
}

/** A parser's complaint in the form the command line shows. */
function asArgument<T>(parse: (text: string, earlier?: T) => T): (text: string, earlier?: T) => T {
  return (text, earlier) => {
    try {
      return parse(text, earlier)
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? `${error.message}.` : String(error))
    }
  }
}
