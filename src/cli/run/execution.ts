import { startIdleTimer, systemClock } from '../../clock.ts'
import { leadsTo } from '../../system/process.ts'
import { chosenFormat } from '../config/global-flags.ts'
import { type CommandResult, createContext } from '../context/context.ts'
import { type GuardedOutput, guardOutput, type HostProcess, isOn, verbosityOf } from '../context/host.ts'
import { createInterruption, graceMs, type Interruption, isOutputEnd } from '../context/interruption.ts'
import { exitCodeOfBatch } from '../failures/exit-codes.ts'
import { describeFailure } from '../failures/failure.ts'
import type { Reporter } from '../output/events.ts'
import { notes } from '../output/notes.ts'
import { createPalette, hasColor, type Palette } from '../output/terminal/terminal.ts'
import { loadWidths } from '../output/terminal/terminal-text.ts'
import { TextPrinter } from '../output/text.ts'
import { describeProgram, type Invocation } from './program.ts'

/** Runs what a command line asks for, until its output is written. @returns the exit code */
export async function execute(invocation: Invocation, host: HostProcess): Promise<number> {
  const interruption = createInterruption({
    onStop: (cause, inFlight) => {
      // With nothing in flight, the run ends at once.
      if (cause !== 'output-closed' && inFlight > 0) {
        reporter.report({ type: 'note', text: notes.stopping(inFlight, graceMs) })
      }
    },
  })
  const output = guardOutput(host, interruption.stop)
  const { flags, run } = invocation
  const reporter = await createReporter(invocation, host, output)
  const release = listenToSignals(host, interruption)
  const context = createContext({ io: output.io, clock: systemClock, flags, reporter, interruption, describeProgram })
  let code = 0
  try {
    const result = await run(context)
    code = interruption.exitCode() ?? exitCodeOfResult(result)
  } catch (error) {
    const failure = describeFailure(error)
    code = interruption.exitCode() ?? failure.exitCode
    const cause = interruption.cause()
    // `| head` ends a run without a message; an output that failed is reported below.
    if (!cause || !isOutputEnd(cause)) reporter.report({ type: 'failed', failure: { ...failure, exitCode: code } })
  }
  reporter.close()
  await context.close()
  release()
  const failure = await output.flush()
  if (failure === undefined) return code
  reporter.report({ type: 'failed', failure })
  return failure.exitCode
}

export function exitCodeOfResult(result: CommandResult): number {
  if (!result) return 0
  return result.type === 'exit' ? result.code : exitCodeOfBatch(result.items, result.mayMiss)
}

const FORCED_EXIT_MS = 1_000

/**
 * Stops the run by signals. Ends the process where something hangs although the run was given up, or where the reader of
 * stdout does not read: nothing is lost, since what is sent is noted before each request.
 */
function listenToSignals(host: HostProcess, interruption: Interruption): () => void {
  const causes = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const stop = (cause: NodeJS.Signals) => interruption.stop(cause as (typeof causes)[number])
  for (const cause of causes) host.on(cause, stop)
  interruption.givingUp.addEventListener('abort', () => {
    startIdleTimer(systemClock, FORCED_EXIT_MS, () => host.exit(interruption.exitCode()))
  })
  // Later, Ctrl-C ends the process even while stdout is blocked.
  return () => {
    for (const cause of causes) host.off(cause, stop)
  }
}

async function createReporter(
  { entry, flags, fields }: Omit<Invocation, 'run'>,
  host: HostProcess,
  output: GuardedOutput,
): Promise<Reporter> {
  const { env } = host
  const shared = { output, verbosity: verbosityOf(flags, env), fields, clock: systemClock }
  const format = chosenFormat(flags)
  if (format !== undefined) {
    const { JsonPrinter } = await import('../output/json.ts')
    const isTerminal = output.io.stdout.isTTY
    return new JsonPrinter({ ...shared, isTerminal, lines: format === 'jsonl', document: entry.document })
  }
  const { stdout, stderr } = output.io
  const width = stdout.isTTY ? () => stdout.columns || 80 : undefined
  const paletteOf = ({ isTTY }: typeof stdout) => createPalette(hasColor(flags.color ?? 'auto', env, isTTY))
  const palettes = { stdout: await paletteOf(stdout), stderr: await paletteOf(stderr) }
  if (stdout.isTTY) await loadWidths()
  const canDraw = stderr.isTTY && entry.transfers && env['TERM'] !== 'dumb' && !isOn(env['CI'])
  const bars = canDraw ? await loadBars(host, palettes.stderr) : undefined
  return new TextPrinter({ ...shared, width, isOneTerminal: stdout.isTTY && stderr.isTTY, palettes, bars })
}

/** They are made of xterm.js, by their TERM_PROGRAM. */
const xtermJsPrograms = ['vscode', 'Hyper', 'Tabby']

/** Loads the code that draws bars where they may be drawn only. */
async function loadBars({ env, stderr }: HostProcess, palette: Palette) {
  const { createBars } = await import('../output/progress/bars.ts')
  await loadWidths()
  const pushesCursor = xtermJsPrograms.includes(env['TERM_PROGRAM'] ?? '')
  const view = createBars(stderr, { pushesCursor, palette, clock: systemClock })
  // The reader of a pipe, such as tee, probably writes to the same terminal.
  return { view, byDefault: !leadsTo(1, (stdout) => stdout.isFIFO() || stdout.isSocket()) }
}
