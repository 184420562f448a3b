import { startIdleTimer, systemClock } from '../../clock.ts'
import { leadsTo } from '../../system/process.ts'
import { chosenFormat } from '../config/global-flags.ts'
import { createContext } from '../context/context.ts'
import { type GuardedOutput, guardOutput, type HostProcess, isOn, verbosityOf } from '../context/host.ts'
import { createInterruption, graceMs, isOutputEnd } from '../context/interruption.ts'
import { describeFailure } from '../failures/failure.ts'
import type { Reporter } from '../output/events.ts'
import { notes } from '../output/notes.ts'
import { createPalette, hasColor } from '../output/terminal/terminal.ts'
import { loadWidths } from '../output/terminal/terminal-text.ts'
import { TextPrinter } from '../output/text.ts'
import { describeProgram, type Invocation } from './program.ts'

const FORCED_EXIT_MS = 1_000
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs what a command line asks for, until its output is written. @returns the exit code */
export async function execute(invocation: Invocation, host: HostProcess): Promise<number> {
  const interruption = createInterruption({
    onStop: (cause, inFlight) => {
      // With nothing in flight, the run ends at once.
      if (cause === 'output-closed' || inFlight === 0) return
      reporter.report({ type: 'note', text: notes.stopping(inFlight, graceMs) })
    },
  })
  const output = guardOutput(host, interruption.stop)
  const reporter = await createReporter(invocation, host, output)
  const stop = (signal: NodeJS.Signals) => interruption.stop(signal as (typeof signals)[number])
  for (const signal of signals) host.on(signal, stop)
  // Where something hangs although the run was given up, or the reader of stdout does not read: nothing is lost, since what
  // is sent is noted before each request.
  interruption.givingUp.addEventListener('abort', () => {
    startIdleTimer(systemClock, FORCED_EXIT_MS, () => host.exit(interruption.exitCode()))
  })
  const { flags, run } = invocation
  const context = createContext({ io: host, clock: systemClock, flags, reporter, interruption, describeProgram })
  const fail = (error: unknown) => {
    const failure = describeFailure(error)
    const exitCode = interruption.exitCode() ?? failure.exitCode
    const cause = interruption.cause()
    // `| head` ends a run without a message; an output that failed is reported when all is over.
    if (!cause || !isOutputEnd(cause)) reporter.report({ type: 'failed', failure: { ...failure, exitCode } })
    return exitCode
  }
  const ended = Promise.resolve(context).then(run)
  const code = await ended.then((exitCode) => interruption.exitCode() ?? exitCode ?? 0, fail)
  reporter.close()
  await context.close()
  // Later, Ctrl-C ends the process even while stdout is blocked.
  for (const signal of signals) host.off(signal, stop)
  const failure = await output.flush()
  if (failure === undefined) return code
  reporter.report({ type: 'failed', failure: describeFailure(failure) })
  return 1
}

/** They are made of xterm.js, by their TERM_PROGRAM. */
const xtermJsPrograms = ['vscode', 'Hyper', 'Tabby']

async function createReporter(
  { entry, flags, fields }: Invocation,
  { env, stdout, stderr }: HostProcess,
  output: GuardedOutput,
): Promise<Reporter> {
  const shared = { output, verbosity: verbosityOf(flags, env), fields, clock: systemClock }
  const format = chosenFormat(flags)
  if (format !== undefined) {
    const { JsonPrinter } = await import('../output/json.ts')
    return new JsonPrinter({ ...shared, isTerminal: stdout.isTTY, lines: format === 'jsonl', document: entry.document })
  }
  const width = stdout.isTTY ? () => stdout.columns || 80 : undefined
  const paletteOf = ({ isTTY }: typeof stdout) => createPalette(hasColor(flags.color ?? 'auto', env, isTTY))
  const palettes = { stdout: await paletteOf(stdout), stderr: await paletteOf(stderr) }
  const canDraw = stderr.isTTY && entry.transfers && env['TERM'] !== 'dumb' && !isOn(env['CI'])
  if (stdout.isTTY || canDraw) await loadWidths()
  const pushesCursor = xtermJsPrograms.includes(env['TERM_PROGRAM'] ?? '')
  const barStyle = { pushesCursor, palette: palettes.stderr, clock: systemClock }
  const bars = canDraw && {
    view: (await import('../output/progress/bars.ts')).createBars(stderr, barStyle),
    // The reader of a pipe, such as tee, probably writes to the same terminal.
    byDefault: !leadsTo(1, (stats) => stats.isFIFO() || stats.isSocket()),
  }
  const isOneTerminal = stdout.isTTY && stderr.isTTY
  return new TextPrinter({ ...shared, width, isOneTerminal, palettes, bars: bars || undefined })
}
