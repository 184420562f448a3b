import { startTimer, systemClock } from '../../clock.ts'
import { chosenFormat, type GlobalFlags } from '../config/global-flags.ts'
import { type CommandResult, createContext } from '../context/context.ts'
import { type GuardedOutput, type HostProcess, isOn, verbosityOf } from '../context/host.ts'
import { createInterruption, graceMs, type Interruption, isOutputEnd } from '../context/interruption.ts'
import { exitCodeOfBatch } from '../failures/exit-codes.ts'
import { describeFailure } from '../failures/failure.ts'
import type { Reporter } from '../output/events.ts'
import { parseFields } from '../output/fields.ts'
import { notes } from '../output/notes.ts'
import {
  createPalette,
  hasColor,
  isTerminalShared,
  lendTerminal,
  type Palette,
  type TerminalTraits,
  terminalTraits,
} from '../output/terminal/terminal.ts'
import { loadWidths } from '../output/terminal/terminal-text.ts'
import { TextPrinter } from '../output/text.ts'
import type { CatalogEntry } from './catalog.ts'
import { describeProgram, type Invocation } from './program.ts'

/** Runs the command of a parsed command line. @returns the exit code */
export async function execute(
  { entry, flags, run }: Extract<Invocation, { type: 'run' }>,
  host: HostProcess,
  output: GuardedOutput,
): Promise<number> {
  const reporter = await createReporter(entry, flags, host, output)
  const interruption = createInterruption({
    onStop: (cause, inFlight) => {
      // With nothing in flight, the run ends at once.
      if (cause !== 'output-closed' && inFlight > 0) {
        reporter.report({ type: 'note', text: notes.stopping(inFlight, graceMs) })
      }
    },
  })
  output.onEnd((end) => interruption.stop(end))
  const stopListening = listenToSignals(host, interruption)
  const cancelForcedExit = forceExitOnceGivenUp(host, interruption)
  const context = createContext({ io: output.io, clock: systemClock, flags, reporter, interruption, describeProgram })
  try {
    const result = await run(context)
    return interruption.exitCode() ?? exitCodeOfResult(result)
  } catch (error) {
    return reportFailure(error, reporter, interruption)
  } finally {
    reporter.close()
    await context.close()
    stopListening()
    // Without our handlers Ctrl-C ends the process even while stdout is blocked.
    await output.flush()
    cancelForcedExit()
  }
}

export function exitCodeOfResult(result: CommandResult): number {
  if (!result) return 0
  return result.type === 'exit' ? result.code : exitCodeOfBatch(result.items, result)
}

function reportFailure(error: unknown, reporter: Reporter, interruption: Interruption): number {
  const failure = describeFailure(error)
  const exitCode = interruption.exitCode() ?? failure.exitCode
  const cause = interruption.cause()
  // `| head` ends a run without a message; main.ts reports an output that failed once the run has ended.
  if (cause === undefined || !isOutputEnd(cause)) reporter.report({ type: 'failed', failure: { ...failure, exitCode } })
  return exitCode
}

/** How long the run may take to end after it was given up. */
const FORCED_EXIT_MS = 1_000

/**
 * Ends the process where something hangs although the run was given up, or where the reader of stdout does not read.
 * Nothing is lost: what is sent is noted before each request.
 *
 * @returns cancels that, once the run has ended
 */
function forceExitOnceGivenUp(host: HostProcess, { givingUp, exitCode }: Interruption): () => void {
  let cancel = () => {}
  const exitLater = () => {
    cancel = startTimer(systemClock, FORCED_EXIT_MS, () => host.exit(exitCode()))
  }
  givingUp.addEventListener('abort', exitLater, { once: true })
  return () => cancel()
}

/** @returns stops listening */
function listenToSignals(host: HostProcess, interruption: Interruption): () => void {
  const causes = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const stop = (cause: NodeJS.Signals) => interruption.stop(cause as (typeof causes)[number])
  for (const cause of causes) host.on(cause, stop)
  return () => {
    for (const cause of causes) host.off(cause, stop)
  }
}

/** The printer of the format that the flags ask for, and of text without one. */
export async function createReporter(
  entry: Pick<CatalogEntry, 'document' | 'fields' | 'transfers'>,
  flags: GlobalFlags,
  host: HostProcess,
  output: GuardedOutput,
): Promise<Reporter> {
  const { env } = host
  const fields = flags.fields === undefined ? undefined : parseFields(flags.fields, entry.fields)
  const shared = { output, verbosity: verbosityOf(flags, env), fields, clock: systemClock }
  const format = chosenFormat(flags)
  if (format !== undefined) {
    const { JsonPrinter } = await import('../output/json.ts')
    const isTerminal = output.io.stdout.isTTY
    return new JsonPrinter({ ...shared, isTerminal, lines: format === 'jsonl', document: entry.document })
  }
  const traits = (name: 'stdout' | 'stderr') => (output.io[name].isTTY ? terminalTraits(host[name], env) : undefined)
  const paletteOf = (isTerminal: boolean) => createPalette(hasColor(flags.color ?? 'auto', env, isTerminal))
  const terminals = { stdout: traits('stdout'), stderr: traits('stderr') }
  if (terminals.stdout) await loadWidths()
  const palettes = {
    stdout: await paletteOf(terminals.stdout !== undefined),
    stderr: await paletteOf(terminals.stderr !== undefined),
  }
  const canDraw = entry.transfers && env['TERM'] !== 'dumb' && !isOn(env['CI'])
  const bars = terminals.stderr && canDraw ? await createBars(host, terminals.stderr, palettes.stderr) : undefined
  return new TextPrinter({ ...shared, terminals, palettes, bars })
}

/** Loads the code that draws bars where they may be drawn only. */
async function createBars(host: HostProcess, traits: TerminalTraits, palette: Palette) {
  const { Bars } = await import('../output/progress/bars.ts')
  await loadWidths()
  const view = new Bars(host.stderr, { traits, palette, clock: systemClock })
  lendTerminal(host, view)
  return { view, byDefault: !isTerminalShared(host) }
}
