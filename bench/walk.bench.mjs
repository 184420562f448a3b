// The way of a command, or of a request to the emulator, through the sources, by V8's coverage: how many files are loaded,
// in how many of them a function runs, and how many functions do.
// npm run bench -- walk [--files], which names the files too, with a dash before those that are only loaded.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const urlOf = (path) => new URL(path, import.meta.url)
const sources = urlOf('../').href
const commands = ['upload photo.jpg', 'list', '--help']

export async function run() {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  const emulator = spawn(process.execPath, importing('walk/emulator.mjs'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  try {
    const [service] = await once(emulator, 'message')
    await copyFile(urlOf('../test/fixtures/media/photo.jpg'), join(folder, 'photo.jpg'))
    for (const words of commands) print(`fh ${words}`, await coverageOfCommand(words, { folder, service }))
    const idle = (await coverageOf(emulator)).map((script) => ({ ...script, functions: [] }))
    for (let [status, before] = [0, 0]; status !== 429; before = status) {
      status = await upload(service)
      const scripts = new Map([...idle, ...(await coverageOf(emulator))].map((script) => [script.url, script]))
      if (status !== before) print(`POST /api/upload, answered ${status}`, [...scripts.values()])
    }
  } finally {
    emulator.kill()
    await rm(folder, { recursive: true })
  }
}

/** What Node needs to run a program that imports the sources. */
function importing(program, ...words) {
  return ['--no-warnings', '--import', urlOf('walk/import-sources.mjs').href, urlOf(program).pathname, ...words]
}

async function coverageOfCommand(words, { folder, service }) {
  const reports = join(folder, 'coverage')
  const { FH_STATE_DIR: _, ...env } = process.env
  const { status, stderr } = spawnSync(process.execPath, importing('../src/cli/main.ts', ...words.split(' ')), {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...env,
      HOME: folder,
      FH_BASE_URL: service.baseUrl,
      FH_API_KEY: service.apiKey,
      NODE_V8_COVERAGE: reports,
    },
  })
  if (status !== 0) throw new Error(`fh ${words} failed: ${stderr}`)
  const [report] = await readdir(reports)
  const { result } = JSON.parse(await readFile(join(reports, report), 'utf8'))
  await rm(reports, { recursive: true })
  return result
}

async function upload({ baseUrl, apiKey }) {
  const body = new FormData()
  body.set('file', new File([Buffer.from('ffd8ffe0', 'hex')], 'a.jpg', { type: 'image/jpeg' }))
  const response = await fetch(`${baseUrl}/api/upload`, { method: 'POST', headers: { 'X-Api-Key': apiKey }, body })
  await response.text()
  return response.status
}

async function coverageOf(emulator) {
  emulator.send('take')
  const [result] = await once(emulator, 'message')
  return result
}

function print(what, coverage) {
  const files = coverage
    .filter(({ url }) => url.startsWith(`${sources}src/`) || url.startsWith(`${sources}emulator/`))
    .map(({ url, functions }) => ({ path: url.slice(sources.length), count: functions.filter(hasRun).length }))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
  const entered = files.filter(({ count }) => count > 0)
  const functions = entered.reduce((sum, { count }) => sum + count, 0)
  console.log(`${what}: ${files.length} files loaded, ${entered.length} entered, ${functions} functions run`)
  if (!process.argv.includes('--files')) return
  for (const { path, count } of files) console.log(`${count > 0 ? String(count).padStart(4) : '   -'} ${path}`)
}

/** Not the module itself, nor the static parts of its classes: they run as it is loaded. */
function hasRun({ functionName, ranges: [{ startOffset, count }] }) {
  const isModule = functionName === '' && startOffset === 0
  return count > 0 && !isModule && functionName !== '<static_initializer>'
}
