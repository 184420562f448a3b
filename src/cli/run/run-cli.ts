import { closeSync } from 'node:fs'
import { isBun, isDevice } from '../../system/process.ts'
import { chosenFormat, type GlobalFlags } from '../config/global-flags.ts'
import { type GuardedOutput, guardOutput, type HostProcess } from '../context/host.ts'
import { CliError, usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { catalog, commandNamed, plainEntry } from './catalog.ts'
import { type Invocation, parseArgv } from './program.ts'

/** Runs a command line in this process, and ends the process with its exit code. */
export function startRun(argv: readonly string[]): void {
  let ended = false

  // Node exits silently if the event loop is empty. Report that as a bug if the command has not finished.
  process.once('beforeExit', async () => {
    if (ended) return
    const stuck = new CliError('stuck', 'fh stopped unexpectedly; this is a bug in fh')
    process.exitCode = await explain(stuck, argv, process, guardOutput(process))
  })

  // A rejection would be a bug in fh: Node prints it and exits with 1.
  void runCli(argv, process).then((code) => {
    process.exitCode = code
    ended = true
    process.once('exit', leaveTerminal)
    // After a signal: a system call that cannot be aborted, such as the look-up of a host, would keep the process alive. Bun
    // 1.4 is kept alive by a terminal that was read and closed.
    if (code > 128 || isBun) process.exit()
  })
}

/**
 * Runs one command line from start to end, until its output is written.
 * @returns the exit code
 */
export async function runCli(argv: readonly string[], host: HostProcess): Promise<number> {
  const output = guardOutput(host)
  const code = await runLine(argv, host, output).catch((error: unknown) => explain(error, argv, host, output))
  const failure = await output.flush()
  return failure === undefined ? code : await explain(failure, argv, host, output)
}

/** The code that runs commands is loaded only where there is one to run: help needs none of it. */
async function runLine(argv: readonly string[], host: HostProcess, output: GuardedOutput): Promise<number> {
  const invocation = await parseArgv(argv)
  if (invocation.type === 'print') return await printAnswer(invocation, argv, output)
  checkFlags(invocation)
  const { execute } = await import('./execution.ts')
  return await execute(invocation, host, output)
}

/**
 * Reports a failure outside of a command, in the format the command line seems to ask for.
 * @returns the exit code
 */
async function explain(
  error: unknown,
  argv: readonly string[],
  host: HostProcess,
  output: GuardedOutput,
): Promise<number> {
  const { createReporter } = await import('./execution.ts')
  const { describeFailure } = await import('../failures/failure.ts')
  const { entry, flags } = guessCommand(argv)
  const failure = describeFailure(error)
  const reporter = await createReporter(entry, flags, host, output)
  reporter.report({ type: 'failed', failure })
  reporter.close()
  return failure.exitCode
}

async function printAnswer(
  { text, what, misuse }: Extract<Invocation, { type: 'print' }>,
  argv: readonly string[],
  output: GuardedOutput,
): Promise<number> {
  if (chosenFormat(guessCommand(argv).flags) !== undefined) {
    if (misuse) throw usageError('No command was given', hints.commands)
    const { toJson } = await import('../format/format.ts')
    output.stdout(`${toJson({ [what]: text.trimEnd() }, output.io.stdout.isTTY)}\n`)
    return 0
  }
  output[misuse ? 'stderr' : 'stdout'](text)
  return misuse ? 2 : 0
}

function checkFlags({ entry, flags }: Extract<Invocation, { type: 'run' }>): void {
  const format = chosenFormat(flags)
  if (format === 'jsonl' && !entry.lines) {
    const able = Object.keys(catalog).filter((other) => catalog[other]?.lines)
    throw usageError(`--jsonl is for ${able.join(', ')}; others have --json`)
  }
  if (flags.fields === undefined) return
  if (entry.fields.length === 0) throw usageError('--fields is not supported by this command')
  if (!entry.textFields && format === undefined) throw usageError('--fields needs --json or --jsonl here')
}

/** The command and the flags of a command line that cannot be parsed: programs get their errors as JSON all the same. */
function guessCommand(argv: readonly string[]) {
  const separator = argv.indexOf('--')
  const words = separator < 0 ? argv : argv.slice(0, separator)
  const entry = words.map(commandNamed).find((found) => found !== undefined) ?? plainEntry
  // The words after -- are the user's own command, which gets standard output.
  const document = entry.document === 'own' && separator < 0 ? 'value' : entry.document
  const [json, jsonl, debug] = ['--json', '--jsonl', '--debug'].map((flag) => words.includes(flag))
  return { entry: { ...entry, document }, flags: { json, jsonl, debug } as GlobalFlags }
}

/**
 * Closes the standard streams that lead to a terminal, if others lead to a pipe or a file. To be called as the process
 * exits. Node sets terminals of standard streams back to the state that they had when the process started. In a pipeline
 * that is wrong: in `fh list | fzf` it takes the keyboard from fzf, and after `fzf | fh delete --from-stdin` the shell would
 * get the state that fzf had set.
 */
function leaveTerminal(): void {
  // The null device may be closed too.
  const terminals = [0, 1, 2].filter(isDevice)
  if (terminals.length === 3) return
  for (const descriptor of terminals) {
    try {
      closeSync(descriptor)
    } catch {
      // It has been closed already.
    }
  }
}
