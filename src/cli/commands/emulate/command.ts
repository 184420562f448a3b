import { type Command, Option } from 'commander'
import type {
  Control,
  Dialect,
  Emulator,
  EmulatorOptions,
  EtiquetteReport,
  LoggedRequest,
} from '../../../../emulator/index.ts'
import { parseJson } from '../../../checks/json.ts'
import { isLoopback } from '../../../client/base-url.ts'
import {
  type EmulatorConnection,
  emulatorVariables,
  unusualVariables,
} from '../../../environment/emulator-variables.ts'
import { parseQuotaLimits } from '../../../environment/quota-limits.ts'
import type { QuotaLimits } from '../../../index.ts'
import { counted } from '../../../protocol/quantities.ts'
import { unlimited } from '../../../protocol/rate-limits.ts'
import type { Environment } from '../../../system/environment.ts'
import type { Context, Start } from '../../context/context.ts'
import { asUsage, CliError, usageError } from '../../failures/cli-error.ts'
import { describeFailure } from '../../failures/failure.ts'
import { hints } from '../../failures/hints.ts'
import { formatClockTime, parseByteSize, printable } from '../../format/format.ts'
import { type EmulatorReady, readyLines } from '../../output/emulator-text.ts'
import { notes } from '../../output/notes.ts'
import { runChild } from './child-command.ts'
import { controlTokenOf, parsePort, registerForRunning, usualPort } from './running-emulator.ts'
import { openStateFile } from './state-file.ts'

/** The flags as commander returns them. */
interface EmulateFlags extends Pick<EmulatorOptions, 'apiKey' | 'clock' | 'data' | 'dialect' | 'seed' | 'siteUrl'> {
  readonly host: string
  readonly port?: number
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly controlToken?: string
  readonly quota?: QuotaLimits | false
  readonly maxFileSize?: number
  readonly export?: string
  readonly har?: string
  readonly strictClient?: boolean
  readonly set?: GivenSettings
}

const dialects: readonly Dialect[] = ['spec', 'laravel', 'hostile']

export function register(command: Command, start: Start, argv: readonly string[]): void {
  const hasSeparator = argv.includes('--')
  // With --, env and wait may belong to the command that follows.
  if (!hasSeparator) registerForRunning(command, start)
  command
    .description('Run a local copy of the service until it is stopped, or while a command runs.')
    .usage('[flags] [-- command...]')
    .argument('[command...]', 'after --: a command to run against it')
    .optionsGroup('Where it listens:')
    .option('--host <host>', 'address to listen on (127.0.0.1)')
    .option('--port <n>', `port, 0 = any free (${usualPort}; with a command 0)`, parsePort)
    .option('--tls-cert <file>', 'use https with this certificate (PEM)')
    .option('--tls-key <file>', 'private key of the certificate (PEM)')
    .option('--site-url <url>', 'address of the website in links (its own)')
    .option('--control-token <token>', 'what other machines need to control it')
    .optionsGroup('What it holds:')
    .option('--data <folder>', 'keep accounts, uploads and the log in this folder')
    .option('--seed <file>', 'start with the accounts and uploads of a JSON file')
    .option('--export <file>', 'write the state to a file at the end')
    .option('--har <file>', 'write the requests to a HAR file at the end')
    .option('--api-key <key>', 'API key of the first account (generated)')
    .optionsGroup('How it behaves:')
    .option('--quota <limits>', 'such as burst=20,minute=60,hour=1000', (text) =>
      asUsage(() => parseQuotaLimits(text), '--quota'),
    )
    .option('--no-quota', 'no quota limits')
    .option('--max-file-size <size>', 'largest file accepted (200MB)', (text) =>
      asUsage(() => parseByteSize(text), '--max-file-size'),
    )
    .addOption(new Option('--dialect <name>', 'where the API is vague').choices(dialects))
    .option('--set <name=value>', 'change a setting of the service; repeatable', addSetting)
    .addOption(new Option('--clock <kind>', 'its clock').choices(['system', 'virtual', 'auto']))
    .option('--strict-client', 'fail at the end if a client ignored the quota')
    .addHelpText('after', examples)
    .action((words: readonly string[], flags: Partial<EmulateFlags>) => {
      // Without --, fh would parse the command's flags as its own.
      if (words.length > 0 && !hasSeparator) {
        throw usageError(`Unknown argument: ${words[0]}`, hints.didYouMean(`fh emulate -- ${words.join(' ')}`))
      }
      if ((flags.tlsCert === undefined) !== (flags.tlsKey === undefined)) {
        throw usageError('Give --tls-cert and --tls-key together')
      }
      start((context) => serve({ host: '127.0.0.1', ...flags }, words, context))
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

/** Settings of the emulator, which checks them. */
type GivenSettings = Readonly<Record<string, unknown>>

/**
 * Adds `quota_windows=sliding`, `visible_after_ms=500` or `quotas={"burst":5}`: JSON where it parses, else text.
 * @throws CliError of code `usage` if the name or the value is missing
 */
export function addSetting(text: string, earlier: GivenSettings = {}): GivenSettings {
  const [, name, value] = /^\s*([a-z_]+)\s*=(.+)$/is.exec(text) ?? []
  if (name === undefined || value === undefined) {
    throw usageError(`--set: ${JSON.stringify(text)} is not a setting: write NAME=VALUE, such as quota_windows=sliding`)
  }
  const json = parseJson(value)
  return { ...earlier, [name]: json === undefined ? value.trim() : json }
}

/** Runs the emulator until a signal, or the end of the command. */
async function serve(flags: EmulateFlags, command: readonly string[], context: Context): Promise<number> {
  const { warn, reporter, interruption, clock, io } = context
  const withCommand = command.length > 0
  // For the emulator, a signal is the normal end and not a failure.
  const stop = withCommand ? undefined : new Promise<void>((resolve) => interruption.redirect(() => resolve()))
  const { host, tlsCert: cert, tlsKey: key, export: statePath, har: harPath, siteUrl } = flags
  const writeState = statePath === undefined ? undefined : await openStateFile('export', statePath)
  const writeHar = harPath === undefined ? undefined : await openStateFile('har', harPath)
  const onStandstill: EmulatorOptions['onStandstill'] = ({ now, until }) =>
    warn({ message: notes.standstill(now, until ?? 'it moves', ready.control_url) })
  const { createEmulator } = await import('../../../../emulator/index.ts')
  const refused = (error: unknown) => {
    throw refusal(error)
  }
  await using emulator = await createEmulator({ ...emulatorOptions(flags, io.env), onStandstill }).catch(refused)
  const since = new Date(emulator.clock.now()).toISOString()
  // Several emulators with commands may run at a time, so they use free ports.
  const port = flags.port ?? (withCommand ? 0 : usualPort)
  const address = { host, port, ...(cert !== undefined && key !== undefined && { tls: { cert, key } }) }
  const { baseUrl } = await emulator.listen(address).catch(refused)
  // By its address, or through what stands in front of it.
  const isForOthers = !isLoopback(host) || (siteUrl !== undefined && !isLoopback(new URL(siteUrl).hostname))
  const ready: EmulatorReady = {
    base_url: baseUrl,
    api_key: emulator.apiKey,
    control_url: `${baseUrl}/_emulator`,
    site_url: siteUrl?.replace(/(?<!\/)\/+$/, '') ?? baseUrl,
    pid: process.pid,
    // Requests from this machine need no token.
    ...(isForOthers && { control_token: emulator.controlToken }),
  }
  const { quotas, max_file_size: maxFileSize } = emulator.control.settings.get()
  const connection = { baseUrl, apiKey: emulator.apiKey, quotas, maxFileSize }
  tellReady(ready, connection, emulator.firstAccount, withCommand, context)
  const untilItEnds = async () => {
    if (stop !== undefined) return stop.then(() => 0)
    interruption.stopping.throwIfAborted()
    const terminal = io.stdin.isTTY || io.stdout.isTTY || io.stderr.isTTY
    // An empty one would be refused.
    const env = { ...io.env, FH_API_KEY_FILE: undefined, ...emulatorVariables(connection) }
    return runChild(command, { env, interruption, clock, terminal })
  }
  const unwatch = watched(emulator.control, context)
  const tell = (error: unknown) => {
    const failure = describeFailure(error)
    reporter.report({ type: 'failed', failure })
    code ||= failure.exitCode
  }
  const save = async () => {
    await writeHar?.(emulator.control.requests.har({ since }))
    if (writeState !== undefined) await writeState(await emulator.control.state.get())
  }
  let code = 0
  try {
    code = await untilItEnds().finally(unwatch)
    if (flags.strictClient) clientFailures(emulator.control.report({ since })).forEach(tell)
  } finally {
    // Also after a failure, which counts for more than one to save.
    await save().catch(tell)
  }
  return code
}

function tellReady(
  ready: EmulatorReady,
  connection: EmulatorConnection,
  signIn: Emulator['firstAccount'],
  withCommand: boolean,
  { warn, reporter, verbosity: { quiet, verbose, debug } }: Context,
): void {
  // Stored as a hash alone, it has to be told at once, in text and in JSON.
  if (ready.control_token !== undefined && signIn?.password !== undefined) {
    warn({ message: notes.password(signIn.email, signIn.password) })
  }
  // The command gets key and addresses from its environment.
  const isBrief = withCommand && !verbose && !debug
  reporter.report({
    type: 'line',
    stream: withCommand ? 'stderr' : 'stdout',
    data: ready,
    text: quiet ? [] : readyLines(ready, unusualVariables(connection), signIn, isBrief),
  })
}

/** What the emulator says of a flag that it refuses, which it knows as an option of its own. */
function refusal(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const message = error.message.replace(/option (\w+) of createEmulator/, (_, name: string) => `option ${flagOf(name)}`)
  switch (Object(error).code) {
    case 'port-taken':
      return new CliError('port-taken', message, { cause: error })
    case 'unusable-data-folder':
      return new CliError('data-unusable', message, { cause: error })
    case 'cannot-listen':
    case 'unusable-tls':
      return usageError(message)
    default:
      return error instanceof TypeError ? usageError(message) : error
  }
}

function flagOf(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** What `createEmulator` takes; it knows the defaults. */
function emulatorOptions(flags: EmulateFlags, env: Environment): EmulatorOptions {
  const { apiKey, clock, data, dialect, seed, siteUrl, quota, maxFileSize, controlToken, set = {} } = flags
  return {
    ...{ apiKey, clock, data, dialect, seed, siteUrl },
    controlToken: controlTokenOf(controlToken, env),
    quotas: quota === false ? unlimited : quota,
    maxFileSizeBytes: maxFileSize,
    settings: set,
  }
}

/** With --verbose or --debug, reports the requests. @returns stops that, after all requests so far */
function watched(control: Control, { verbosity: { verbose, debug }, reporter }: Context): () => Promise<void> {
  if (!verbose && !debug) return async () => {}
  const ended = new AbortController()
  const follow = async () => {
    for await (const event of control.requests.stream({}, { signal: ended.signal })) {
      if (event.event === 'request')
        reporter.report({ type: 'line', stream: 'stderr', ...servedRequest(event.request) })
    }
  }
  // Following fails only if the store has failed, which the emulator reports itself.
  const following = follow().catch(() => {})
  return async () => {
    ended.abort()
    await following
  }
}

/** `09:30:12 POST /api/upload: 201, 10 units`, or as the control API has it in JSON; the dashboard shows all of a request. */
function servedRequest(request: LoggedRequest) {
  const { at, method, endpoint, status, cost, fault } = request
  const time = formatClockTime(Date.parse(at), Date.parse(at), { seconds: true })
  const marked = fault === undefined ? '' : `, fault: ${fault}`
  const text = `${time} ${method} ${endpoint}: ${status}, ${counted(cost, 'unit')}${marked}`
  return { data: { type: 'request', ...request }, text: [printable(text)] }
}

function clientFailures({ findings }: EtiquetteReport): readonly CliError[] {
  return findings.map(({ kind, count, units, advice, requests }) => {
    const [first] = requests
    const example = first === undefined ? '' : `, such as ${first.method} ${first.endpoint} at ${first.at}`
    const spent = units === 0 ? '' : `, ${counted(units, 'unit')}`
    const message = `${counted(count, 'request')} against the rules (${kind}${spent})${example}`
    return new CliError('client-misbehaved', message, { hint: advice })
  })
}
