import type { Command } from 'commander'
import type { Emulator, EmulatorOptions } from '../../../../emulator/index.ts'
import { emulatorVariables, unusualVariables } from '../../../environment/emulator-variables.ts'
import { installCommand } from '../../../environment/install-command.ts'
import { isLoopback } from '../../../internal.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import { verbosityOf } from '../../config/settings.ts'
import type { CommandResult, Context, Start } from '../../context/context.ts'
import type { Interruption } from '../../context/interruption.ts'
import { CliError, usageError } from '../../failures/cli-error.ts'
import { describeFailure } from '../../failures/failure.ts'
import type { EmulatorReady } from '../../output/events.ts'
import { runChild } from './child-command.ts'
import {
  controlTokenOf,
  type EmulateFlags,
  type EmulateOptions,
  registerEmulateFlags,
  toEmulateOptions,
  usualPort,
} from './emulate-options.ts'
import { checkStateFile, clientFailures, expectComplete, savedAtEnd, writeStateFile } from './run-end.ts'
import { registerForRunning } from './running-emulator.ts'

export function register(command: Command, start: Start, argv: readonly string[]): void {
  const hasSeparator = argv.includes('--')
  // With --, env and wait may belong to the command that follows.
  if (!hasSeparator) registerForRunning(command, start)
  registerEmulateFlags(command)
    .description('Run a local copy of the service until it is stopped, or while a command runs.')
    .usage('[flags] [-- command...]')
    .argument('[command...]', 'after --: a command to run against it')
    .addHelpText('after', examples)
    .action((words: readonly string[], flags: EmulateFlags) => {
      // Without --, fh would parse the command's flags as its own.
      if (words.length > 0 && !hasSeparator) {
        const hint = `To run a command, put -- before it: fh emulate -- ${words.join(' ')}`
        throw usageError(`Unknown argument: ${words[0]}`, hint)
      }
      const options = toEmulateOptions(flags, words)
      start((context) => serve(options, context))
    })
}

const examples = `
The command finds it by FH_BASE_URL, FH_API_KEY, FH_EMULATOR_URL, FH_LIMITS and
FH_MAX_FILE_SIZE in its environment; fh exits with its exit code.

Examples:
  fh emulate -v --data ./filehost-data
  fh emulate --dialect laravel --set quota_windows=sliding
  fh emulate --seed seed.json --export state.json
  fh emulate --strict-client -- npm test`

/** Runs the emulator until a signal, or the end of the command. */
async function serve(options: EmulateOptions, context: Context): Promise<CommandResult> {
  const { warn, reporter, interruption, clock, io } = context
  printPlainWarnings((text) => io.stderr.write(text))
  const withCommand = options.command.length > 0
  const stop = withCommand ? undefined : whenStopped(interruption)
  const { statePath, harPath } = options
  if (statePath !== undefined) await checkStateFile('export', statePath)
  if (harPath !== undefined) await checkStateFile('har', harPath)
  const { createEmulator, DataFolderError, SeedError, SettingError, TlsError } = await import(
    '../../../../emulator/index.ts'
  )
  const onStandstill: EmulatorOptions['onStandstill'] = ({ now, until }) =>
    warn({
      message: `The emulator's clock stands still at ${now}, and a client may wait for quota until ${until ?? 'it moves'}`,
      hint: `advance it (POST ${ready.control_url}/clock), or run with --clock system`,
      isBrief: true,
    })
  const controlToken = controlTokenOf(options.emulator.controlToken, io.env)
  await using emulator = await createEmulator({ ...options.emulator, controlToken, onStandstill }).catch(
    (error: unknown) => {
      if (error instanceof SettingError || error instanceof SeedError) throw usageError(error.message)
      throw error instanceof DataFolderError ? new CliError('data-unusable', error.message, { cause: error }) : error
    },
  )
  const since = new Date(emulator.clock.now()).toISOString()
  const port = options.port ?? (withCommand ? 0 : usualPort)
  const address = { host: options.host, port, ...(options.tls !== undefined && { tls: options.tls }) }
  const { baseUrl } = await emulator.listen(address).catch((error: unknown) => {
    throw error instanceof TlsError ? usageError(error.message) : notListening(error, options.host, port)
  })
  const ready: EmulatorReady = {
    base_url: baseUrl,
    api_key: emulator.apiKey,
    control_url: `${baseUrl}/_emulator`,
    site_url: options.emulator.siteUrl ?? baseUrl,
    pid: process.pid,
    // Requests from this machine need no token.
    ...(isForOthers(options) && { control_token: emulator.controlToken }),
  }
  const { quotas, max_file_size: maxFileSize } = emulator.control.settings.get()
  const connection = { baseUrl, apiKey: emulator.apiKey, quotas, maxFileSize }
  const { firstAccount: signIn } = emulator
  // Stored as a hash alone, it has to be told at once, in text and in JSON.
  if (isForOthers(options) && signIn?.password !== undefined) {
    const generated = `the password of ${signIn.email} is generated: ${signIn.password}`
    warn({
      message: `Other machines can reach the website, so ${generated}`,
      hint: `It is told only now; sign in at ${ready.site_url}/login`,
    })
  }
  reporter.report({ type: 'emulator-ready', ready, variables: unusualVariables(connection), signIn, withCommand })
  if (!withCommand) reportThumbnails(emulator, context)
  const untilItEnds = async () => {
    if (stop !== undefined) return stop.then(() => 0)
    interruption.stopping.throwIfAborted()
    const terminal = io.stdin.isTTY || io.stdout.isTTY || io.stderr.isTTY
    // An empty one would be refused.
    const env = { ...io.env, FH_API_KEY_FILE: undefined, ...emulatorVariables(connection) }
    return runChild(options.command, { env, interruption, clock, terminal })
  }
  const unwatch = await watched(emulator, context)
  const tell = (error: unknown) => reporter.report({ type: 'failed', failure: describeFailure(error) })
  const untilJudged = async () => {
    const code = await untilItEnds().finally(unwatch)
    const failures = options.strictClient ? clientFailures(emulator.control.report({ since })) : []
    for (const failure of failures) tell(failure)
    return code === 0 && failures.length > 0 ? 1 : code
  }
  if (statePath === undefined && harPath === undefined) return { type: 'exit', code: await untilJudged() }
  const save = async () => {
    if (harPath !== undefined) await writeStateFile(harPath, emulator.control.requests.har({ since }), 'requests')
    if (statePath === undefined) return
    const state = await emulator.control.state.get()
    await writeStateFile(statePath, state)
    expectComplete(statePath, state)
  }
  return { type: 'exit', code: await savedAtEnd(untilJudged, save, tell) }
}

/**
 * Tells what the emulator warns of, such as an error that its client is not told, in its own words alone: Node would
 * print it with the number of the process and advice about its flags. Where Node is told to print none, none is.
 */
function printPlainWarnings(print: (text: string) => void): void {
  if (process.listenerCount('warning') === 0) return
  process.removeAllListeners('warning')
  process.on('warning', ({ message }) => print(`fh: ${message}\n`))
}

/** Whether other machines may reach it, by its address or through what stands in front of it. */
function isForOthers({ host, emulator: { siteUrl } }: EmulateOptions): boolean {
  return !isLoopback(host) || (siteUrl !== undefined && !isLoopback(new URL(siteUrl).hostname))
}

function reportThumbnails({ control }: Emulator, { note }: Context): void {
  const { capabilities } = control.health()
  const limits = [
    ...(capabilities.includes('image_thumbnails') ? [] : [`images are not scaled down (${installCommand('sharp')})`]),
    ...(capabilities.includes('video_thumbnails') ? [] : ['videos get a grey picture (install ffmpeg)']),
  ]
  if (limits.length > 0) note(`Thumbnails: ${limits.join('; ')}`)
}

/** With --verbose or --debug, reports the requests. @returns stops the reports */
async function watched({ control }: Emulator, { flags, io, reporter }: Context): Promise<() => Promise<void>> {
  const { verbose, debug } = verbosityOf(flags, io.env)
  if (!verbose && !debug) return async () => {}
  const { watchRequests } = await import('./request-watch.ts')
  return watchRequests(control, (request) => reporter.report({ type: 'request-served', request }))
}

/** For the emulator, a signal is the normal end and not a failure. */
function whenStopped(interruption: Interruption): Promise<void> {
  return new Promise((resolve) => {
    interruption.redirect(() => resolve())
  })
}

function notListening(error: unknown, host: string, port: number): unknown {
  if (!(error instanceof Error)) return error
  const cause = error.cause instanceof Error ? error.cause : error
  if ('code' in cause && cause.code === 'EADDRINUSE') {
    const hint = 'Another emulator may be running; use --port 0 for any free port'
    return new CliError('port-taken', `Port ${port} of ${host} is already in use`, { hint, cause })
  }
  const hint = 'Use --host 127.0.0.1 for this machine only, 0.0.0.0 for others too; ports below 1024 need privileges'
  return usageError(`Cannot listen on port ${port} of ${host}: ${reasonOf(cause)}`, hint)
}
