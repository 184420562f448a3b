import { type Command, InvalidArgumentError, Option } from 'commander'
import type { QuotaLimits } from '../../../index.ts'
import { isKey } from '../../../protocol/endpoints.ts'
import { unlimited } from '../../../protocol/rate-limits.ts'
import { parseQuotaLimits } from '../../config/quota-limits.ts'
import { parseSettingAssignment, type SettingAssignment } from '../../config/setting-assignment.ts'
import { parseByteSize } from '../../output/format/byte-size.ts'
import { type EmulatorExposure, type ExposureFlags, registerExposure, toExposure } from './emulator-exposure.ts'

export interface EmulateOptions {
  readonly action: 'serve'
  readonly host: string
  /** Default: 4884; with a command, any free port. */
  readonly port?: number | undefined
  readonly apiKey?: string | undefined
  /** Default: the quotas stored in `data`, else those of the service. */
  readonly quotas?: QuotaLimits | undefined
  readonly maxFileSizeBytes?: number | undefined
  /** Folder for all state; without it, the state ends with the process. */
  readonly data?: string | undefined
  /** JSON file with the initial state. */
  readonly seed?: string | undefined
  /** File to write the final state to. */
  readonly export?: string | undefined
  /** Whether the run fails if its clients broke the rules of the etiquette report. */
  readonly strictClient: boolean
  readonly clock: 'system' | 'virtual'
  readonly dialect?: (typeof dialects)[number] | undefined
  /** Settings that override the dialect; the last one of a name counts. */
  readonly settings: readonly SettingAssignment[]
  readonly exposure: EmulatorExposure
  /** Command to run; the emulator ends with it. Empty = run until stopped. */
  readonly command: readonly string[]
}

/** The flags as commander returns them. */
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

/** The default port without a command. Several emulators with commands may run at a time, so they use free ports. */
export const usualPort = 4884
const dialects = ['spec', 'laravel', 'hostile'] as const

/** Declares the flags of `fh emulate`. */
export function registerEmulateFlags(command: Command): Command {
  return registerExposure(command)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .addOption(new Option('--port <n>', `port, 0 = any free (${usualPort}; with a command 0)`).argParser(parsePort))
    .option('--data <folder>', 'keep all state in this folder across runs')
    .option('--seed <file>', 'start with the accounts, uploads and settings of a JSON file')
    .option('--export <file>', 'write the state to a file when the run ends or fails')
    .option('--strict-client', 'fail at the end if a client waited too little, repeated an upload or wasted units')
    .option('--api-key <key>', 'API key of the first account (generated)', asArgument(checkKey))
    .addOption(
      new Option('--quota <limits>', 'such as burst=20,minute=60,hour=1000,day=10000').argParser(
        asArgument(parseQuotaLimits),
      ),
    )
    .option('--no-quota', 'no quota limits')
    .addOption(
      new Option('--max-file-size <size>', 'largest file accepted (200MB)').argParser(asArgument(parseByteSize)),
    )
    .addOption(
      new Option('--clock <kind>', 'virtual = moves only through the control API')
        .choices(['system', 'virtual'])
        .default('system'),
    )
    .addOption(new Option('--dialect <name>', 'behaviour where the specification is silent').choices(dialects))
    .addOption(
      new Option('--set <name=value>', 'change a setting of the service; repeatable').argParser(asArgument(addSetting)),
    )
}

/** @param command the words after -- */
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
