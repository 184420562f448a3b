import { type Command, Option } from 'commander'
import { isObject, parseJson } from '../../../checks/json.ts'
import { nodeTransport } from '../../../client/transports/node-transport.ts'
import { steadyMs } from '../../../clock.ts'
import { emulatorVariables } from '../../../environment/emulator-variables.ts'
import { type ShellFamily, shellExports, shellFamilies, usualShell } from '../../../environment/shell-word.ts'
import type { QuotaLimits } from '../../../index.ts'
import { isKey } from '../../../protocol/endpoints.ts'
import type { Environment } from '../../../system/environment.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import { readCa } from '../../config/connection.ts'
import { readSetting } from '../../config/settings.ts'
import type { Context, Start } from '../../context/context.ts'
import { CliError, usageError } from '../../failures/cli-error.ts'
import { hints } from '../../failures/hints.ts'
import { formatDuration } from '../../format/format.ts'
import { wholeNumberFlag } from '../../input/flag-values.ts'

/** The default port without a command. */
export const usualPort = 4884

export const parsePort = wholeNumberFlag(0, 65_535, 'Give a number from 0 to 65535.')

/**
 * The control token: --control-token, else FH_CONTROL_TOKEN, which no other user sees in the list of processes.
 * @throws CliError of code `usage`
 */
export function controlTokenOf(flag: string | undefined, env: Environment): string | undefined {
  const token = flag ?? (env['FH_CONTROL_TOKEN'] || undefined)
  if (token === undefined || isKey(token)) return token
  const place = flag === undefined ? 'FH_CONTROL_TOKEN' : '--control-token'
  throw usageError(`${place}: a token has no spaces and no special letters`)
}

interface EnvOptions {
  readonly url?: string | undefined
  readonly port?: number | undefined
  /** Default: the user's shell. */
  readonly shell?: ShellFamily | undefined
  readonly controlToken?: string | undefined
}

/** Declares `fh emulate env` and `fh emulate wait`, which address a running emulator. */
export function registerForRunning(command: Command, start: Start): void {
  const address = ['[url]', `its address (FH_EMULATOR_URL, else port ${usualPort} here)`] as const
  command
    .command('env')
    .summary('print how a shell selects a running emulator')
    .optionsGroup('Flags:')
    .description('Print the shell commands that make fh use a running emulator.')
    .argument(...address)
    .option('--port <n>', 'its port on this machine', parsePort)
    .addOption(new Option('--shell <name>', 'shell (from SHELL)').choices(shellFamilies))
    .option('--control-token <token>', 'required if it runs on another machine')
    .addHelpText('after', envExamples)
    .action((url: string | undefined, flags: EnvOptions) =>
      start((context) => showVariables({ ...flags, url }, context)),
    )
  command
    .command('wait')
    .summary('wait until an emulator answers')
    .optionsGroup('Flags:')
    .description('Wait until an emulator answers, for at most --timeout (30s).')
    .argument(...address)
    .addHelpText('after', waitExamples)
    .action((url: string | undefined) => start((context) => waitForEmulator(url, context)))
}

const envExamples = `
Examples:
  eval "$(fh emulate env)"
  fh emulate env --shell fish | source
  fh emulate env --shell powershell | Out-String | Invoke-Expression`

const waitExamples = `
Exits with 0 as soon as it answers, with 5 if it does not answer in time.

Examples:
  fh emulate wait
  fh emulate wait http://127.0.0.1:4884 --timeout 10s`

/** A running emulator answers at once. */
const ANSWERS_WITHIN_MS = 5_000

/** @throws CliError if no emulator answers, or it has no key to give */
async function showVariables({ url, port, ...flags }: EnvOptions, context: Context): Promise<void> {
  const { io, interruption, print } = context
  if (url !== undefined && port !== undefined) throw usageError('Give an address or --port, not both')
  const here = port === undefined ? undefined : `http://127.0.0.1:${port}`
  const baseUrl = emulatorAddress(url ?? here, io.env)
  const token = controlTokenOf(flags.controlToken, io.env)
  const ask = await createCall(baseUrl, context, ANSWERS_WITHIN_MS, token)
  const bodyOf = async (path: string) => {
    const { error, ...body } = await ask(path).catch((error: unknown) => {
      interruption.stopping.throwIfAborted()
      const message = `No emulator answers at ${baseUrl}: ${reasonOf(error)}`
      throw new CliError('no-emulator', message, { hint: hints.emulator })
    })
    if (!isObject(error)) return body
    const { message, hint } = error
    throw new CliError('no-emulator', String(message), typeof hint === 'string' ? { hint } : {})
  }
  const { api_key, quotas } = await bodyOf('/connection')
  if (typeof api_key !== 'string') {
    throw new CliError('no-emulator', `The emulator at ${baseUrl} does not know its key: set FH_API_KEY yourself`)
  }
  const { max_file_size } = await bodyOf('/settings')
  const connection = { baseUrl, apiKey: api_key, quotas: quotas as QuotaLimits, maxFileSize: Number(max_file_size) }
  const data = emulatorVariables(connection)
  print({ data, text: shellExports(data, flags.shell ?? usualShell(io.env)).join('\n') })
}

const USUAL_TIMEOUT_MS = 30_000
const PAUSE_MS = 100
/** The limit for one attempt, if the port accepts connections but sends nothing. */
const ATTEMPT_MS = 2_000

/** @throws CliError of code `no-emulator` if none answers in time */
async function waitForEmulator(url: string | undefined, context: Context): Promise<void> {
  const { clock, flags, settings, interruption, io, tell } = context
  const baseUrl = emulatorAddress(url, io.env)
  const timeoutMs = flags.timeout === undefined ? USUAL_TIMEOUT_MS : readSetting(settings(), 'timeout')
  const ask = await createCall(baseUrl, context, Math.min(timeoutMs, ATTEMPT_MS))
  const startedAt = steadyMs(clock)
  for (;;) {
    const problem = await ask('/health').then(() => undefined, reasonOf)
    if (problem === undefined) break
    const leftMs = startedAt + timeoutMs - steadyMs(clock)
    if (leftMs <= 0) {
      const message = `No emulator answered at ${baseUrl} within ${formatDuration(timeoutMs)}: ${problem}`
      throw new CliError('no-emulator', message, { hint: hints.emulator })
    }
    await clock.sleep(Math.min(PAUSE_MS, leftMs), interruption.stopping)
  }
  tell({ data: { base_url: baseUrl }, text: `The emulator at ${baseUrl} answers` })
}

/**
 * The address of a running emulator: the given URL, which may be that of its control API, else FH_EMULATOR_URL, else the
 * default port of this machine.
 * @returns scheme, host and port
 * @throws CliError of code `usage`
 */
function emulatorAddress(url: string | undefined, env: Environment): string {
  const variable = env['FH_EMULATOR_URL'] || undefined
  const text = url ?? variable ?? `http://127.0.0.1:${usualPort}`
  const { protocol = '', pathname = '', origin } = URL.parse(text) ?? {}
  if (origin !== undefined && /^https?:$/.test(protocol) && /^\/(_emulator\/?)?$/.test(pathname)) return origin
  const shown = url ?? `FH_EMULATOR_URL: ${variable}`
  throw usageError(`${shown} is not the address of an emulator, such as http://127.0.0.1:${usualPort}`)
}

/**
 * Makes a function that calls the control API, trusting the certificate authorities of the settings. It returns the JSON
 * of an emulator, which has an `error` where it refuses, and throws where none answers.
 *
 * @param idleTimeoutMs the longest time without a byte
 * @param token the control token; required from another machine
 */
async function createCall(baseUrl: string, { settings, interruption }: Context, idleTimeoutMs: number, token?: string) {
  const ca = await readCa(settings())
  const transport = nodeTransport({ idleTimeoutMs, ...(ca !== undefined && { ca }) })
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const { stopping: signal } = interruption
  return async (path: string): Promise<Readonly<Record<string, unknown>>> => {
    const url = `${baseUrl}/_emulator${path}`
    const { status, body } = await transport.send({ method: 'GET', url, headers, signal })
    const answer = parseJson(Buffer.concat(await Array.fromAsync(body)).toString())
    // Any HTTP server may be listening; an emulator is recognised by the form of its answers.
    if (isObject(answer) && (status === 200 || typeof Object(answer['error']).code === 'string')) return answer
    throw new Error(`the server there is not an emulator (status ${status})`)
  }
}
