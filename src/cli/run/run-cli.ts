import { closeSync } from 'node:fs'
import { isBun, leadsTo } from '../../system/process.ts'
import type { HostProcess } from '../context/host.ts'
import { parseArgv } from './program.ts'

/** Runs a command line in this process, and ends the process with its exit code. */
export function startRun(argv: readonly string[]): void {
  // Node exits silently if the event loop is empty.
  const stopped = () => {
    process.stderr.write('fh: fh stopped unexpectedly; this is a bug in fh\n')
    process.exitCode = 1
  }
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

/** Help needs none of the code that runs commands; a write of help that fails is explained by a run. @returns the exit code */
export async function runCli(argv: readonly string[], host: HostProcess): Promise<number> {
  const invocation = await parseArgv(argv)
  const { help } = invocation
  if (help !== undefined && (await isWritten(help, host.stdout))) return 0
  const { execute } = await import('./execution.ts')
  return await execute(invocation, host)
}

function isWritten(text: string, stream: HostProcess['stdout']): Promise<boolean> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve(false))
    stream.write(`${text}\n`, (error) => resolve(!error))
  })
}

/**
 * Closes the standard streams that lead to a terminal, if others lead to a pipe or a file. As the process exits, Node sets
 * terminals back to the state that they had when it started: in `fh list | fzf` that takes the keyboard from fzf.
 */
function leaveTerminal(): void {
  // The null device may be closed too.
  const terminals = [0, 1, 2].filter((descriptor) => leadsTo(descriptor, (stats) => stats.isCharacterDevice()))
  for (const descriptor of terminals.length === 3 ? [] : terminals) {
    try {
      closeSync(descriptor)
    } catch {
      // It has been closed already.
    }
  }
}
