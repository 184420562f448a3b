import type { Command } from 'commander'
import { steadyMs } from '../../../clock.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import { parseTimeout } from '../../config/setting-definitions.ts'
import type { Context } from '../../context/context.ts'
import { CliError, usageError } from '../../failures/cli-error.ts'
import { formatDuration } from '../../format/format.ts'
import { createEmulatorCall, type EmulatorAnswer, emulatorAddress, emulatorArgument } from './running-emulator.ts'

const USUAL_TIMEOUT_MS = 30_000
const PAUSE_MS = 100
/** The limit for one attempt, if the port accepts connections but sends nothing. */
const IDLE_TIMEOUT_MS = 2_000

export function registerEmulateWait(
  command: Command,
  start: (action: (context: Context) => Promise<void>) => void,
): void {
  command
    .command('wait')
    .summary('wait until an emulator answers')
    .optionsGroup('Flags:')
    .description('Wait until an emulator answers, for at most --timeout (30s).')
    .argument(...emulatorArgument)
    .addHelpText('after', examples)
    .action((url: string | undefined) => start((context) => waitForEmulator(url, context)))
}

const examples = `
Exits with 0 as soon as it answers, with 5 if it does not answer in time.

Examples:
  fh emulate wait
  fh emulate wait http://127.0.0.1:4884 --timeout 10s`

/** @throws CliError of code `no-emulator` if none answers in time */
async function waitForEmulator(url: string | undefined, context: Context): Promise<void> {
  const { clock, flags, interruption, io, reporter } = context
  const baseUrl = emulatorAddress(url, undefined, io.env)
  const timeoutMs = timeoutOf(flags.timeout)
  const call = await createEmulatorCall(context, Math.min(timeoutMs, IDLE_TIMEOUT_MS))
  const startedAt = steadyMs(clock)
  for (;;) {
    const answer = await call(baseUrl, '/health', interruption.stopping)
    // An emulator that refuses this machine is running too.
    if (answer.type === 'answered' || answer.type === 'refused') break
    const leftMs = startedAt + timeoutMs - steadyMs(clock)
    if (leftMs <= 0) throw tooLate(answer, baseUrl, timeoutMs)
    await clock.sleep(Math.min(PAUSE_MS, leftMs), interruption.stopping)
  }
  reporter.report({ type: 'effect', effect: { type: 'emulator-answers', data: { base_url: baseUrl } } })
}

function timeoutOf(text: string | undefined): number {
  if (text === undefined) return USUAL_TIMEOUT_MS
  try {
    return parseTimeout(text)
  } catch (error) {
    throw usageError(`--timeout: ${reasonOf(error)}`)
  }
}

function tooLate(answer: EmulatorAnswer, baseUrl: string, timeoutMs: number): CliError {
  const found = answer.type === 'foreign' ? `: the server there is not an emulator (status ${answer.status})` : ''
  const why = answer.type === 'silent' ? `: ${answer.error.message}` : found
  return new CliError('no-emulator', `No emulator answered at ${baseUrl} within ${formatDuration(timeoutMs)}${why}`, {
    hint: 'Check the output of fh emulate, or allow more time with --timeout',
  })
}
