import { closeSync, fstatSync } from 'node:fs'
import { version } from '../../package.json'
import { isBun } from '../system/runtime.ts'
import { guardOutput } from './context/host.ts'
import { CliError } from './failures/cli-error.ts'

const argv = process.argv.slice(2)
const output = guardOutput(process)
let ended = false

// Node exits silently when the event loop is empty. Report that as a bug if the command has not finished.
process.once('beforeExit', async () => {
  if (!ended) process.exitCode = await fail(new CliError('stuck', 'fh stopped unexpectedly; this is a bug in fh'))
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

async function run(): Promise<number> {
  const code = await answer()
  const failure = await output.flush()
  return failure === undefined ? code : await fail(failure)
}

async function answer(): Promise<number> {
  // Scripts ask for the version often, so it is printed before any other code is loaded.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    output.stdout(`${version}\n`)
    return 0
  }
  const { runCli } = await import('./run/run-cli.ts')
  return await runCli(argv, process, output)
}

async function fail(error: CliError): Promise<number> {
  const { explain } = await import('./run/run-cli.ts')
  return await explain(error, argv, process, output)
}

const standardStreams = [0, 1, 2] as const

/**
 * Closes the standard streams that lead to a terminal, if others lead to a pipe or a file. To be called as the process
 * exits. Node sets terminals of standard streams back to the state that they had when the process started. In a pipeline
 * that is wrong: in `fh list | fzf` it takes the keyboard from fzf, and after `fzf | fh delete --from-stdin` the shell would
 * get the state that fzf had set.
 */
function leaveTerminal(): void {
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

/** A terminal, or the null device, which may be closed too; node:tty would have to be loaded to tell them apart. */
function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice()
  } catch {
    return false
  }
}
