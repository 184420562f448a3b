import { version } from '../../package.json'
import { CliError } from './failures/cli-error.ts'
import { guardOutput } from './run/host.ts'

const argv = process.argv.slice(2)
const output = guardOutput(process)
let ended = false

/** 128 and the signal's number is the code of a run that a signal ended. */
const FIRST_OF_SIGNALS = 128

// With nothing left to wait for Node would end the process in silence, whatever the command still owes.
process.once('beforeExit', async () => {
  if (!ended) process.exitCode = await fail(new CliError('stuck', 'The command stopped halfway: a mistake in fh'))
})

// A rejection would be a bug in fh: Node prints it and exits with 1.
void run().then((code) => {
  process.exitCode = code
  ended = true
  // A system call that nothing can end, such as the look-up of a name, would keep a process that was told to stop.
  if (code > FIRST_OF_SIGNALS) process.exit()
})

async function run(): Promise<number> {
  const code = await answer()
  const failure = await output.flush()
  return failure === undefined ? code : await fail(failure)
}

async function answer(): Promise<number> {
  // Answered before anything else is loaded: scripts ask for the version often, and it should cost no more than Node does.
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
