import type { Command } from 'commander'
import { runChild } from '../child-command.ts'
import { CliError, usageError } from '../cli-error.ts'
import type { CommandResult } from '../command.ts'
import type { Context } from '../context.ts'
import {
  type EmulateFlags,
  type EmulateOptions,
  registerEmulateFlags,
  toEmulateOptions,
  usualPort,
} from '../emulate-options.ts'
import { isLoopbackHost } from '../emulator-exposure.ts'
import type { EmulatorReady } from '../events.ts'
import type { Interruption } from '../interruption.ts'
import { formatQuotaLimits, type QuotaLimits } from '../quota-limits.ts'

export function register(command: Command, start: (options: EmulateOptions) => void): void {
  registerEmulateFlags(command)
    .description('Run a local copy of the service until it is stopped, or as long as a command runs against it.')
    .usage('[flags] [-- command...]')
    .argument('[command...]', 'a command to run against it, after --')
    .addHelpText('after', examples)
    .action((words: readonly string[], flags: EmulateFlags) => {
      // Without -- the command's own flags would be taken for those of fh.
      if (words.length > 0 && !hasSeparator(command)) {
        throw usageError(
          `What is ${words.join(' ')}?`,
          `To run a command, put -- before it: fh emulate -- ${words.join(' ')}`,
        )
      }
      start(toEmulateOptions(flags, words))
    })
}

const examples = `
The command finds the emulator in FH_BASE_URL, FH_API_KEY, FH_EMULATOR_URL and FH_LIMITS; fh exits with its code.

Examples:
  fh emulate
  fh emulate --data ./filehost-data
  fh emulate --json --port 0 --no-quota
  fh emulate --dialect laravel --set quota_windows=sliding
  fh emulate -- npm test`

/** Starts the emulator, says where it is, and keeps it until a signal or the end of the command. */
export async function run(options: EmulateOptions, context: Context): Promise<CommandResult> {
  const { reporter, interruption, clock, io } = context
  const withCommand = options.command.length > 0
  const stop = withCommand ? undefined : whenStopped(interruption)
  const { tls, ...exposure } = options.exposure
  const { createEmulator, DataFolderError, SettingError, TlsError } = await import('../../../emulator/index.ts')
  await using emulator = await createEmulator({
    clock: options.clock,
    settings: Object.fromEntries(options.settings),
    ...exposure,
    ...(options.dialect !== undefined && { dialect: options.dialect }),
    ...(options.quotas !== undefined && { quotas: options.quotas }),
    ...(options.data !== undefined && { data: options.data }),
    ...(options.apiKey !== undefined && { apiKey: options.apiKey }),
    ...(options.maxFileSizeBytes !== undefined && { maxFileSizeBytes: options.maxFileSizeBytes }),
  }).catch((error: unknown) => {
    if (error instanceof SettingError) throw usageError(error.message)
    throw error instanceof DataFolderError ? new CliError('data-unusable', error.message, { cause: error }) : error
  })
  const port = options.port ?? (withCommand ? 0 : usualPort)
  const address = { host: options.host, port, ...(tls !== undefined && { tls }) }
  const { baseUrl } = await emulator.listen(address).catch((error: unknown) => {
    throw error instanceof TlsError ? usageError(error.message) : notListening(error, options.host, port)
  })
  const ready: EmulatorReady = {
    base_url: baseUrl,
    api_key: emulator.apiKey,
    control_url: `${baseUrl}/_emulator`,
    site_url: exposure.siteUrl ?? baseUrl,
    pid: process.pid,
    // From this machine nobody needs it.
    ...(!isLoopbackHost(options.host) && { control_token: emulator.controlToken }),
  }
  reporter.report({ type: 'emulator-ready', ready, withCommand })
  if (stop !== undefined) {
    await stop
    return { type: 'exit', code: 0 }
  }
  interruption.stopping.throwIfAborted()
  const terminal = [io.stdin, io.stdout, io.stderr].some((stream) => stream.isTTY)
  const env = { ...io.env, ...variables(ready, emulator.control.settings.get().quotas) }
  return { type: 'exit', code: await runChild(options.command, { env, interruption, clock, terminal }) }
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
