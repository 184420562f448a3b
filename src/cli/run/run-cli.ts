import { closeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { isBun } from '../../system/process.ts'
import { guardOutput, type HostProcess } from '../context/host.ts'
import { type Invocation, parseArgv } from './program.ts'

/** Runs a command line in this process, and ends the process with its exit code. */
export function startRun(argv: readonly string[]): void {
  // Node exits silently if the event loop is empty.
  process.exitCode = 1
  const stopped = () => process.stderr.write('fh: fh stopped unexpectedly; this is a bug in fh\n')
  process.once('beforeExit', stopped)
  // A rejection would be a bug in fh: Node prints it and exits with 1.
  void runCli(argv, process).then((code) => {
    process.off('beforeExit', stopped)
    process.exitCode = code
    process.once('exit', leaveTerminal)
    // The look-up of a host cannot be aborted; Bun 1.4 is kept alive by a terminal that was read and closed.
    if (code > 128 || isBun) process.exit()
  })
}

/** @returns the exit code, once all is written */
export async function runCli(argv: readonly string[], host: HostProcess): Promise<number> {
  const invocation = await parseArgv(argv)
  if (invocation.help !== undefined) return await printHelp(invocation.help, host)
  const { execute } = await import('./execution.ts')
  return await execute(invocation, host)
}

/** Needs none of the code that runs commands. */
async function printHelp({ text, isAsked }: NonNullable<Invocation['help']>, host: HostProcess): Promise<number> {
  const output = guardOutput(host, () => {})
  output[isAsked ? 'stdout' : 'stderr'](text)
  const failure = await output.flush()
  if (failure === undefined) return isAsked ? 0 : 2
  output.stderr(`fh: ${failure.message}\n`)
  return 1
}

/**
 * Closes the standard streams that lead to a terminal, if others do not. As the process exits, Node sets terminals back to
 * the state that they had when it started: in `fh list | fzf` that takes the keyboard from fzf.
 */
function leaveTerminal(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor))
  for (const descriptor of terminals.length === 3 ? [] : terminals) closeSync(descriptor)
}
