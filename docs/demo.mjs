// Shows fh at work against the local emulator: npm run demo. Needs dist/, which npm run demo builds first.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const root = join(import.meta.dirname, '..')
const fh = join(root, 'bin/fh.js')
const home = mkdtempSync(join(tmpdir(), 'fh-demo-'))
const env = cleanEnvironment()

// A larger burst limit than usual, in the client too: with the usual one, the demo would wait ten seconds.
const limits = 'burst=60'
const emulator = spawn(process.execPath, [fh, 'emulate', '--json', '--port', '0', '--quota', limits], {
  cwd: root,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
})

try {
  const { base_url, api_key } = await readyLine(emulator)
  Object.assign(env, { FH_BASE_URL: base_url, FH_API_KEY: api_key, FH_LIMITS: limits })
  console.log(`The emulator is ready at ${base_url}\n`)
  await show()
  console.log('The demo is over: every command worked.')
} catch (error) {
  console.error(`The demo failed: ${error.message}`)
  process.exitCode = 1
} finally {
  emulator.kill('SIGTERM')
  if (emulator.exitCode === null) await once(emulator, 'exit')
  rmSync(home, { recursive: true, force: true })
}

async function show() {
  const files = ['test/fixtures/media/photo.jpg', 'test/fixtures/media/clip.mp4']
  const [photo, clip] = upload(files)
  run('list')
  run('show', photo)
  run('stats')
  run('delete', '--yes', clip)
  run('list')
  const left = JSON.parse(fhOutput('list', '--json'))
  if (left.length !== 1 || left[0].url !== photo)
    throw new Error('the list does not show the one upload that was not deleted')
}

/** Prints and returns the links. */
function upload(files) {
  announce('upload', ...files)
  const output = fhOutput('upload', ...files)
  console.log(output)
  const links = output.split('\n').filter((line) => line !== '')
  if (links.length !== files.length) throw new Error(`${files.length} links were expected, not ${links.length}`)
  return links
}

/** Runs fh on the terminal of the demo, as a person would. */
function run(...args) {
  announce(...args)
  runFh(args, 'inherit')
  console.log()
}

function announce(...args) {
  console.log(`$ fh ${args.join(' ')}`)
}

function fhOutput(...args) {
  return runFh(args, 'pipe').stdout
}

function runFh(args, stdout) {
  const stdio = ['inherit', stdout, 'inherit']
  const result = spawnSync(process.execPath, [fh, ...args], { cwd: root, env, encoding: 'utf8', stdio })
  if (result.status !== 0) throw new Error(`fh ${args[0]} ended with exit code ${result.status}`)
  return result
}

async function readyLine({ stdout }) {
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line)
  throw new Error('the emulator did not start')
}

/** Without the user's variables, and with a temporary home: the demo reads and leaves no files of the user. */
function cleanEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !/^(FH_|XDG_)/.test(name))
  return { ...Object.fromEntries(kept), HOME: home }
}
