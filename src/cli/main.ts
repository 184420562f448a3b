import { version } from '../../package.json'
import { guardOutput } from './context/host.ts'
import { CliError } from './failures/cli-error.ts'
import { leaveTerminal } from './run/leave-terminal.ts'

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
  // After a signal: a system call that cannot be aborted, such as the look-up of a host, would keep the process alive.
  if (code > 128) process.exit()
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
