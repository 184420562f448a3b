import { version } from '../../package.json'

const argv = process.argv.slice(2)
const start = async () => (await import('./run/run-cli.ts')).startRun(argv)

// Scripts ask for the version often, so nothing else is loaded for it. Where the write fails, a run says so.
if (/^(-V|--version)$/.test(argv.join(' '))) process.stdout.once('error', start).write(`${version}\n`)
else void start()
