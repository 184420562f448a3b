import { isBun } from '../../system/runtime.ts'
import { guardOutput, type WriteAtOnce } from '../context/host.ts'
import { CliError } from '../failures/cli-error.ts'
import { explain, runCli } from './run-cli.ts'

export interface RunInProcess {
  readonly writeAtOnce: WriteAtOnce
  /** Called as the process exits, once the run has ended. */
  readonly leaveTerminal: () => void
}

/** Runs a command line in this process. */
export function startRun(argv: readonly string[], { writeAtOnce, leaveTerminal }: RunInProcess): void {
  const output = guardOutput(process, writeAtOnce)
  let ended = false

  async function run(): Promise<number> {
    const code = await runCli(argv, process, output)
    const failure = await output.flush()
    return failure === undefined ? code : await explain(failure, argv, process, output)
  }

  // The event loop is empty: nothing is left to write. Node would take its heap apart before it ends, which takes 1 to 2 ms.
  process.once('beforeExit', async () => {
    if (ended) process.exit()
    // Node exits silently then. Report that as a bug if the command has not finished.
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
