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

// A wider burst window than usual: a demo should not stand still for ten seconds.
const emulator = spawn(process.execPath, [fh, 'emulate', '--json', '--port', '0', '--quota', 'burst=60'], {
  cwd: root,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
})

try {
  const { base_url, api_key } = await readyLine(emulator)
  Object.assign(env, { FH_BASE_URL: base_url, FH_API_KEY: api_key })
  console.log(`The emulator is ready at ${base_url}\n`)
  await show()
  console.log('The demo is done: every command did what it is for.')
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
  const links = run('upload', ...files).split('\n')
  if (links.length !== files.length) throw new Error(`${files.length} links were expected, not ${links.length}`)
  const [photo, clip] = links
  expectLines(run('list'), 2)
  run('show', photo)
  run('stats')
  run('delete', '--yes', clip)
  expectLines(run('list'), 1)
}

/** Runs fh as a person would type it, and shows all it prints. */
function run(...args) {
  console.log(`$ fh ${args.join(' ')}`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [fh, ...args], { cwd: root, env, encoding: 'utf8' })
  console.log(`${stdout}${stderr}`)
  if (status !== 0) throw new Error(`fh ${args[0]} ended with exit code ${status}`)
  return stdout.trimEnd()
}

function expectLines(text, count) {
  const lines = text === '' ? [] : text.split('\n')
  if (lines.length !== count) throw new Error(`${count} uploads were expected in the list, not ${lines.length}`)
}

async function readyLine({ stdout }) {
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line)
  throw new Error('the emulator did not start')
}

/** A home of its own: the demo neither reads nor leaves anything of the user's. */
function cleanEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !/^(FH_|XDG_)/.test(name))
  return { ...Object.fromEntries(kept), HOME: home }
}
