import { closeSync } from 'node:fs'
import { isDevice } from '../../system/devices.ts'
import { isBun } from '../../system/runtime.ts'
import { guardOutput } from '../context/host.ts'
import { CliError } from '../failures/cli-error.ts'
import { explain, runCli } from './run-cli.ts'

/** Runs a command line in this process. */
export function startRun(argv: readonly string[]): void {
  const output = guardOutput(process)
  let ended = false

  async function run(): Promise<number> {
    const code = await runCli(argv, process, output)
    const failure = await output.flush()
    return failure === undefined ? code : await explain(failure, argv, process, output)
  }

  // Node exits silently if the event loop is empty. Report that as a bug if the command has not finished.
  process.once('beforeExit', async () => {
    if (ended) return
    const stuck = new CliError('stuck', 'fh stopped unexpectedly; this is a bug in fh')
    process.exitCode = await explain(stuck, argv, process, output)
  })

  // A rejection would be a bug in fh: Node prints it and exits with 1.
  void run().then((code) => {
    process.exitCode = code
    ended = true
    process.once('exit', leaveTerminal)
    // After a signal: a system call that cannot be aborted, such as the look-up of a host, would keep the process alive. Bun
    // 1.4 is kept alive by a terminal that was read and closed.
    if (code > 128 || isBun) process.exit()
  })
}

const standardStreams = [0, 1, 2] as const

/**
 * Closes the standard streams that lead to a terminal, if others lead to a pipe or a file. To be called as the process
 * exits. Node sets terminals of standard streams back to the state that they had when the process started. In a pipeline
 * that is wrong: in `fh list | fzf` it takes the keyboard from fzf, and after `fzf | fh delete --from-stdin` the shell would
 * get the state that fzf had set.
 */
function leaveTerminal(): void {
  // The null device may be closed too.
  const terminals = standardStreams.filter(isDevice)
  if (terminals.length === standardStreams.length) return
  for (const descriptor of terminals) {
    try {
      closeSync(descriptor)
    } catch {
      // It has been closed already.
    }
  }
}
