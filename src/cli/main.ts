import { version } from '../../package.json'

const argv = process.argv.slice(2)

// Answered before anything else is loaded: scripts ask for the version often, and it should cost no more than Node does.
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${version}\n`)
} else {
  const { runCli } = await import('./run-cli.ts')
  process.exitCode = await runCli(argv, process)
}
