import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseByteSize } from '../byte-size.ts'
import { runChild } from '../child-command.ts'
import { CliError, usageError } from '../cli-error.ts'
import type { CommandResult } from '../command.ts'
import type { Context } from '../context.ts'
import type { EmulatorReady } from '../events.ts'
import type { Interruption } from '../interruption.ts'
import { formatQuotaLimits, parseQuotaLimits, type QuotaLimits, unlimitedQuota, usualLimits } from '../quota-limits.ts'

export interface EmulateOptions {
  readonly host: string
  /** Default: 4884, with a command any that is free. */
  readonly port?: number | undefined
  readonly apiKey?: string | undefined
  readonly quotas: QuotaLimits
  readonly maxFileSizeBytes?: number | undefined
  readonly clock: 'system' | 'virtual'
  /** Run against the emulator, which ends with it; empty = run until stopped. */
  readonly command: readonly string[]
}

interface Flags {
  readonly host: string
  readonly port?: number
  readonly apiKey?: string
  /** False with --no-quota. */
  readonly quota?: QuotaLimits | boolean
  readonly maxFileSize?: number
  readonly clock: 'system' | 'virtual'
}

const usualPort = 4884

export function register(command: Command, start: (options: EmulateOptions) => void): void {
  command
    .description('Run a local copy of the service until it is stopped, or as long as a command runs against it.')
    .usage('[flags] [-- command...]')
    .argument('[command...]', 'a command to run against it, after --')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .addOption(new Option('--port <n>', `port, 0 = any free (${usualPort}; with a command 0)`).argParser(parsePort))
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
    .addHelpText('after', examples)
    .action((words: readonly string[], flags: Flags) => {
      // Without -- the command's own flags would be taken for those of fh.
      if (words.length > 0 && !hasSeparator(command)) {
        throw usageError(
          `What is ${words.join(' ')}?`,
          `To run a command, put -- before it: fh emulate -- ${words.join(' ')}`,
        )
      }
      start(toOptions(flags, words))
    })
}

const examples = `
The command finds the emulator in FH_BASE_URL, FH_API_KEY, FH_EMULATOR_URL and FH_LIMITS; fh exits with its code.

Examples:
  fh emulate
  fh emulate --json --port 0 --no-quota
  fh emulate -- npm test`

/** Starts the emulator, says where it is, and keeps it until a signal or the end of the command. */
export async function run(options: EmulateOptions, context: Context): Promise<CommandResult> {
  const { reporter, interruption, io } = context
  const withCommand = options.command.length > 0
  const stop = withCommand ? undefined : whenStopped(interruption)
  const { createEmulator } = await import('../../../emulator/index.ts')
  await using emulator = await createEmulator({
    quotas: options.quotas,
    clock: options.clock,
    ...(options.apiKey !== undefined && { apiKey: options.apiKey }),
    ...(options.maxFileSizeBytes !== undefined && { maxFileSizeBytes: options.maxFileSizeBytes }),
  })
  const port = options.port ?? (withCommand ? 0 : usualPort)
  const { baseUrl } = await emulator.listen({ host: options.host, port }).catch((error: unknown) => {
    throw notListening(error, options.host, port)
  })
  const ready: EmulatorReady = {
    base_url: baseUrl,
    api_key: emulator.apiKey,
    control_url: `${baseUrl}/_emulator`,
    site_url: baseUrl,
    pid: process.pid,
  }
  reporter.report({ type: 'emulator-ready', ready, withCommand })
  if (stop !== undefined) {
    await stop
    return { type: 'exit', code: 0 }
  }
  interruption.stopping.throwIfAborted()
  const terminal = [io.stdin, io.stdout, io.stderr].some((stream) => stream.isTTY)
  const env = { ...io.env, ...variables(ready, options.quotas) }
  return { type: 'exit', code: await runChild(options.command, { env, interruption, terminal }) }
}

function toOptions(flags: Flags, command: readonly string[]): EmulateOptions {
  return {
    host: flags.host,
    port: flags.port,
    apiKey: flags.apiKey,
    quotas: typeof flags.quota === 'object' ? flags.quota : flags.quota === false ? unlimitedQuota : usualLimits,
    maxFileSizeBytes: flags.maxFileSize,
    clock: flags.clock,
    command,
  }
}

function variables({ base_url, api_key, control_url }: EmulatorReady, quotas: QuotaLimits): Record<string, string> {
  return {
    FH_BASE_URL: base_url,
    FH_API_KEY: api_key,
    FH_EMULATOR_URL: control_url,
    FH_LIMITS: formatQuotaLimits(quotas),
  }
}

/** An emulator that is asked to stop has done its work: that is no failure. */
function whenStopped(interruption: Interruption): Promise<void> {
  return new Promise((resolve) => {
    interruption.redirect(() => resolve())
  })
}

function notListening(error: unknown, host: string, port: number): unknown {
  if (!(error instanceof Error)) return error
  const cause = error.cause instanceof Error ? error.cause : error
  if ('code' in cause && cause.code === 'EADDRINUSE') {
    const hint = 'Another emulator may be running; --port 0 takes any free port'
    return new CliError('port-taken', `Port ${port} of ${host} is taken`, { hint, cause })
  }
  return usageError(`Cannot listen on port ${port} of ${host}: ${cause.message}`)
}

function hasSeparator(command: Command): boolean {
  let root = command
  while (root.parent !== null) root = root.parent
  // commander keeps the command line as it was given, but types it as private.
  return (root as Command & { readonly rawArgs: readonly string[] }).rawArgs.includes('--')
}

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('Give a number from 0 to 65535.')
}

function checkKey(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new TypeError('A key has no spaces and no special letters')
}

/** A parser's complaint in the form the command line shows. */
function asArgument<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? `${error.message}.` : String(error))
    }
  }
}
