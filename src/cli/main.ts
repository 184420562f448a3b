import { version } from '../../package.json'

const argv = process.argv.slice(2)

async function start(): Promise<void> {
  const { startRun } = await import('./run/run-cli.ts')
  startRun(argv)
}

// Scripts ask for the version often, so nothing else is loaded for it. A failed write is explained by a run.
if (argv.length === 1 && /^(-V|--version)$/.test(argv[0] ?? '')) {
  process.stdout.once('error', start).write(`${version}\n`)
} else void start()
