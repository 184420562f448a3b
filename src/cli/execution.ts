import { systemClock } from '../index.ts'
import type { CatalogEntry } from './catalog.ts'
import { createPalette, hasColor } from './color.ts'
import type { CommandResult } from './command.ts'
import { createContext } from './context.ts'
import { exitCodeOfBatch } from './exit-codes.ts'
import { describeFailure } from './failure.ts'
import { parseFields } from './fields.ts'
import type { GlobalFlags } from './global-flags.ts'
import type { GuardedOutput, HostProcess } from './host.ts'
import { createInterruption, graceMs, type Interruption, isOutputEnd } from './interruption.ts'
import type { Invocation } from './program.ts'
import type { Reporter } from './reporter.ts'
import { createJsonReporter } from './reporters/json.ts'
import { createTextReporter } from './reporters/text.ts'
import { isOn } from './settings.ts'

/** Runs a command that was understood. @returns the exit code */
export async function execute(
  { entry, flags, run }: Extract<Invocation, { type: 'run' }>,
  host: HostProcess,
  output: GuardedOutput,
): Promise<number> {
  const reporter = await createReporter(entry, flags, host, output)
  const interruption = createInterruption({
    onStop: (cause, inFlight) => {
      if (cause !== 'output-closed') reporter.report({ type: 'stopping', inFlight, graceMs })
    },
  })
  output.onEnd((end) => interruption.stop(end))
  const unlisten = listenToSignals(host, interruption)
  const context = createContext({ io: host, clock: systemClock, flags, reporter, interruption })
  try {
    const result = await run(context)
    return interruption.exitCode() ?? exitCodeOfResult(result)
  } catch (error) {
    return reportFailure(error, reporter, interruption)
  } finally {
    reporter.close()
    await context.close()
    unlisten()
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
  const debug = flags.debug ?? isOn(env['FH_DEBUG'])
  const verbosity = { quiet: flags.quiet === true, verbose: flags.verbose === true, debug }
  const fields = flags.fields === undefined ? undefined : parseFields(flags.fields, entry.fields)
  if (flags.json || flags.jsonl) {
    return createJsonReporter({ output, verbosity, fields, lines: flags.jsonl === true, document: entry.document })
  }
  const paletteOf = (stream: NodeJS.WriteStream) =>
    createPalette(hasColor(flags.color ?? 'auto', env, stream.isTTY === true))
  return createTextReporter({
    output,
    verbosity,
    fields,
    stdoutTerminal: stdout.isTTY === true,
    palettes: { stdout: await paletteOf(stdout), stderr: await paletteOf(stderr) },
  })
}

function listenToSignals(host: HostProcess, interruption: Interruption): () => void {
  const causes = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const listeners = causes.map((cause) => [cause, () => interruption.stop(cause)] as const)
  for (const [cause, listener] of listeners) host.on(cause, listener)
  return () => {
    for (const [cause, listener] of listeners) host.off(cause, listener)
  }
}
