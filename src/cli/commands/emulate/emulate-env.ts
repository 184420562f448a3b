import { type Command, Option } from 'commander'
import { emulatorVariables } from '../../../environment/emulator-variables.ts'
import { type ShellFamily, shellFamilies, usualShell } from '../../../environment/shell-word.ts'
import type { QuotaLimits } from '../../../index.ts'
import type { Context } from '../../context/context.ts'
import { CliError } from '../../failures/cli-error.ts'
import { parsePort } from './emulate-options.ts'
import { createEmulatorCall, type EmulatorAnswer, emulatorAddress, emulatorArgument } from './running-emulator.ts'

interface EmulateEnvOptions {
  readonly url?: string | undefined
  readonly port?: number | undefined
  /** Default: the user's shell. */
  readonly shell?: ShellFamily | undefined
  readonly controlToken?: string | undefined
}

/** A running emulator answers at once. */
const IDLE_TIMEOUT_MS = 5_000

export function registerEmulateEnv(
  command: Command,
  start: (action: (context: Context) => Promise<void>) => void,
): void {
  command
    .command('env')
    .summary('print how a shell selects a running emulator')
    .optionsGroup('Flags:')
    .description('Print the shell commands that make fh use a running emulator.')
    .argument(...emulatorArgument)
    .option('--port <n>', 'its port on this machine', parsePort)
    .addOption(new Option('--shell <name>', 'shell (from SHELL)').choices(shellFamilies))
    .option('--control-token <token>', 'required if it runs on another machine')
    .addHelpText('after', examples)
    .action((url: string | undefined, flags: EmulateEnvOptions) =>
      start((context) => showVariables({ ...flags, url }, context)),
    )
}

const examples = `
Examples:
  eval "$(fh emulate env)"
  fh emulate env --shell fish | source
  fh emulate env --shell powershell | Out-String | Invoke-Expression`

/** @throws CliError if no emulator answers, or it has no key to give */
async function showVariables(options: EmulateEnvOptions, context: Context): Promise<void> {
  const { io, interruption, reporter } = context
  const baseUrl = emulatorAddress(options.url, options.port, io.env)
  const call = await createEmulatorCall(context, IDLE_TIMEOUT_MS, options.controlToken)
  const { api_key, quotas } = bodyOf(await call(baseUrl, '/connection', interruption.stopping), baseUrl)
  if (typeof api_key !== 'string') {
    throw new CliError('no-emulator', `The emulator at ${baseUrl} does not know the API key of its first account`, {
      hint: 'Its accounts come from a snapshot: set FH_API_KEY yourself, or create a key with POST /_emulator/accounts/1/key',
    })
  }
  const { max_file_size } = bodyOf(await call(baseUrl, '/settings', interruption.stopping), baseUrl)
  const variables = emulatorVariables({
    baseUrl,
    apiKey: api_key,
    quotas: quotas as QuotaLimits,
    maxFileSize: Number(max_file_size),
  })
  const shell = options.shell ?? usualShell(io.env)
  reporter.report({ type: 'document', document: { type: 'exports', data: variables, shell } })
}

function bodyOf(answer: EmulatorAnswer, baseUrl: string): Readonly<Record<string, unknown>> {
  switch (answer.type) {
    case 'answered':
      return answer.body
    case 'refused':
      throw new CliError('no-emulator', answer.message, answer.hint === undefined ? {} : { hint: answer.hint })
    case 'foreign':
      throw new CliError('no-emulator', `The server at ${baseUrl} is not an emulator (status ${answer.status})`, {
        hint,
      })
    case 'silent':
      throw new CliError('no-emulator', `No emulator answers at ${baseUrl}`, { hint, cause: answer.error })
  }
}

const hint = 'Start one with fh emulate, or give its address: fh emulate env URL, --port N or FH_EMULATOR_URL'
