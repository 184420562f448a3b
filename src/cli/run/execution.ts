import { systemClock } from '../../index.ts'
import { watchSlugs } from '../completion/seen-slugs.ts'
import type { SeenSlugs } from '../completion/slug-cache.ts'
import type { GlobalFlags } from '../config/global-flags.ts'
import { isOn } from '../config/settings.ts'
import { verbosityOf } from '../config/verbosity.ts'
import { exitCodeOfBatch } from '../failures/exit-codes.ts'
import { describeFailure } from '../failures/failure.ts'
import { parseFields } from '../output/fields.ts'
import { createJsonReporter } from '../output/json.ts'
import type { Reporter } from '../output/reporter.ts'
import { createPipedView } from '../output/tables/piped-view.ts'
import { createPalette, hasColor, type Palette } from '../output/terminal/color.ts'
import { lendTerminal } from '../output/terminal/suspend.ts'
import { terminalTraits } from '../output/terminal/terminal-traits.ts'
import { createTextReporter, type TextReporterOptions } from '../output/text.ts'
import type { CatalogEntry } from './catalog.ts'
import type { CommandResult } from './command.ts'
import { type Context, createContext } from './context.ts'
import type { GuardedOutput, HostProcess, OutputEnd } from './host.ts'
import { createInterruption, graceMs, type Interruption, isOutputEnd } from './interruption.ts'
import { describeProgram, type Invocation } from './program.ts'

/** Runs a command that was understood. @returns the exit code */
export async function execute(
  { entry, flags, run }: Extract<Invocation, { type: 'run' }>,
  host: HostProcess,
  output: GuardedOutput,
): Promise<number> {
  const { reporter, seen } = watchSlugs(await createReporter(entry, flags, host, output))
  const interruption = createInterruption({
    onStop: (cause, inFlight) => {
      if (cause !== 'output-closed') reporter.report({ type: 'stopping', inFlight, graceMs })
    },
  })
  let outputEnd: OutputEnd | undefined
  output.onEnd((end) => {
    outputEnd = end
    interruption.stop(end)
  })
  const unlisten = listenToSignals(host, interruption)
  const stay = leaveOnceGivenUp(host, interruption)
  const context = createContext({ io: host, clock: systemClock, flags, reporter, interruption, describeProgram })
  let onPrinted: ((isPrinted: boolean) => void) | undefined
  try {
    const result = await run(context)
    if (result?.type === 'batch') onPrinted = result.onPrinted
    return interruption.exitCode() ?? exitCodeOfResult(result)
  } catch (error) {
    return reportFailure(error, reporter, interruption)
  } finally {
    reporter.close()
    await context.close()
    if (seen.size > 0 && flags.journal !== false) await rememberForCompletion(context, seen)
    unlisten()
    // Without ears for signals: an output that nobody reads must not keep Ctrl-C from ending the process.
    const unprinted = await output.flush()
    onPrinted?.(unprinted === undefined && outputEnd === undefined)
    stay()
  }
}

/**
 * Tells of a failure that no command is there to tell of.
 * @returns the exit code
 */
export async function tellFailure(
  error: unknown,
  { entry, flags }: { readonly entry: CatalogEntry; readonly flags: GlobalFlags },
  host: HostProcess,
  output: GuardedOutput,
): Promise<number> {
  const failure = describeFailure(error)
  const reporter = await createReporter(entry, flags, host, output)
  reporter.report({ type: 'failed', failure })
  reporter.close()
  return failure.exitCode
}

/** Nothing here is worth failing for: the command is done. */
async function rememberForCompletion({ io, settings, clock }: Context, seen: SeenSlugs): Promise<void> {
  const { rememberSlugs } = await import('../completion/slug-cache.ts')
  rememberSlugs(io.env, settings(), seen, clock.now())
}

function exitCodeOfResult(result: CommandResult): number {
  if (!result) return 0
  return result.type === 'exit' ? result.code : exitCodeOfBatch(result.items, result)
}

function reportFailure(error: unknown, reporter: Reporter, interruption: Interruption): number {
  const failure = describeFailure(error)
  const exitCode = interruption.exitCode() ?? failure.exitCode
  const cause = interruption.cause()
  // A reader that has gone wants to hear nothing more; of an output that failed it is told when the run has ended.
  if (cause === undefined || !isOutputEnd(cause)) reporter.report({ type: 'failed', failure: { ...failure, exitCode } })
  return exitCode
}

async function createReporter(entry: CatalogEntry, flags: GlobalFlags, host: HostProcess, output: GuardedOutput) {
  const { env, stdout, stderr } = host
  const verbosity = verbosityOf(flags, env)
  const fields = flags.fields === undefined ? undefined : parseFields(flags.fields, entry.fields)
  if (flags.json || flags.jsonl) {
    return createJsonReporter({ output, verbosity, fields, lines: flags.jsonl === true, document: entry.document })
  }
  const paletteOf = (stream: NodeJS.WriteStream) =>
    createPalette(hasColor(flags.color ?? 'auto', env, stream.isTTY === true))
  const palettes = { stdout: await paletteOf(stdout), stderr: await paletteOf(stderr) }
  return createTextReporter({
    output,
    verbosity,
    createView: await chooseView(host, fields, palettes.stdout),
    bars: entry.transfers ? await chooseBars(host, palettes) : undefined,
    clock: systemClock,
    palettes,
  })
}

/** Only a terminal needs what draws tables. */
async function chooseView(
  { env, stdout }: HostProcess,
  fields: readonly string[] | undefined,
  palette: Palette,
): Promise<TextReporterOptions['createView']> {
  if (!stdout.isTTY) return (print) => createPipedView(print, fields)
  const { createTerminalView } = await import('../output/tables/terminal-view.ts')
  const traits = terminalTraits(stdout, env)
  return (print) => createTerminalView({ print, fields, palette, traits, now: systemClock.now })
}

/** Only a terminal that can take lines back needs what draws bars. */
async function chooseBars(
  host: HostProcess,
  palettes: TextReporterOptions['palettes'],
): Promise<TextReporterOptions['bars']> {
  const { env, stdout, stderr } = host
  if (!stderr.isTTY || env['TERM'] === 'dumb' || isOn(env['CI'])) return undefined
  const { createBarProgress } = await import('../output/progress/bar-progress.ts')
  const { linkWithName } = await import('../output/link-with-name.ts')
  const traits = terminalTraits(stderr, env)
  const view = createBarProgress({ stream: stderr, traits, palette: palettes.stderr, clock: systemClock })
  lendTerminal(host, view)
  const { isTerminalShared } = await import('../output/terminal/shared-terminal.ts')
  const nameLink = (link: string, name: string) => linkWithName(link, name, { traits, palette: palettes.stdout })
  return { view, byDefault: !isTerminalShared(host), nameLink: stdout.isTTY ? nameLink : undefined }
}

/** How long what has been given up may take to end. */
const LAST_RESORT_MS = 1_000

/**
 * What hangs although it has been given up, or is printed to a reader that does not read, must not keep the process: what
 * the journal needs is written before each request leaves.
 *
 * @returns what ends that, once the run has ended
 */
function leaveOnceGivenUp(host: HostProcess, { givingUp, exitCode }: Interruption): () => void {
  const over = new AbortController()
  const leave = () => {
    systemClock.sleep(LAST_RESORT_MS, over.signal).then(
      () => host.exit(exitCode()),
      () => {},
    )
  }
  givingUp.addEventListener('abort', leave, { once: true })
  return () => over.abort()
}

function listenToSignals(host: HostProcess, interruption: Interruption): () => void {
  const causes = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const listeners = causes.map((cause) => [cause, () => interruption.stop(cause)] as const)
  for (const [cause, listener] of listeners) host.on(cause, listener)
  return () => {
    for (const [cause, listener] of listeners) host.off(cause, listener)
  }
}
