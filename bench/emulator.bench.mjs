// The emulator in tests: time to the first answer and memory when idle, compared with bare Node and a similar tool; and
// the cost of an emulator, and of its answers, in the test's own process. Processor time decides: contenders take turns, and
// of all rounds the best counts.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.mjs'
import { nodes, versionOf } from './nodes.mjs'

const fh = new URL('../bin/fh.js', import.meta.url).pathname
const library = new URL('../dist/emulator.js', import.meta.url).href
const usage = new URL('usage.cjs', import.meta.url).pathname
/** Without a variable that doubles Node's start. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
const rounds = 12

export async function run() {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  try {
    const servers = await contenders(folder)
    for (const node of nodes) {
      console.log(`\nNode ${versionOf(node)}`)
      await compareServers(servers, node)
      inProcess(node)
      fetchTimes(node)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function contenders(folder) {
  const bare = "require('node:http').createServer((_, r) => r.end('{}')).listen(process.argv[1], '127.0.0.1')"
  const own = [
    { name: 'bare node:http (floor)', args: (port) => ['-e', bare, port], path: '/' },
    { name: 'fh emulate', args: (port) => [fh, 'emulate', '-q', '--port', port], path: '/_emulator/health' },
  ]
  const peer = await jsonServer(folder)
  if (peer === undefined) console.log('json-server is left out: npm could not install it here')
  return peer === undefined ? own : [...own, peer]
}

/** Installed for this run only, so that it does not become a dependency. */
async function jsonServer(folder) {
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  await writeFile(join(folder, 'db.json'), '{"uploads":[]}')
  const install = ['install', '--silent', '--no-audit', '--no-fund', 'json-server@0.17.4']
  const { status } = spawnSync('npm', install, { cwd: folder, timeout: 60_000 })
  if (status !== 0) return undefined
  const main = join(folder, 'node_modules/json-server/lib/cli/bin.js')
  const args = (port) => [main, '--quiet', '--host', '127.0.0.1', '--port', port, join(folder, 'db.json')]
  return { name: 'json-server 0.17.4', args, path: '/uploads' }
}

/** They take turns, so that a slow moment of the machine affects them equally. */
async function compareServers(servers, node) {
  const samples = servers.map(() => [])
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, server] of servers.entries()) {
      // The first leaves compiled code for the others, which a run with options of Node does not.
      if (round === 0) await measure(node, server, [])
      else samples[index].push(await measure(node, server, ['--require', usage]))
    }
  }
  const rows = servers.map(({ name }, index) => ({
    name,
    'processor ms to the first answer': least(samples[index].map(({ cpuMs }) => cpuMs)),
    'wall ms': least(samples[index].map(({ ms }) => ms)),
    'idle MiB': median(samples[index].map(({ mib }) => mib)),
  }))
  printRatios(rows, 'processor ms to the first answer')
}

/** @param of the column that is compared with that of the first row */
function printRatios(rows, of) {
  const floor = rows[0][of]
  console.table(rows.map((row) => ({ ...row, ratio: Number((row[of] / floor).toFixed(2)) })))
}

async function measure(node, { args, path }, options) {
  const port = await freePort()
  const startedAt = performance.now()
  const stdio = ['ignore', 'ignore', 'ignore', 'ipc']
  const child = spawn(node, [...options, ...args(String(port))], { stdio, env })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  while (!(await answers(`http://127.0.0.1:${port}${path}`))) await sleep(2)
  const ms = performance.now() - startedAt
  const used = options.length > 0 && new Promise((resolve) => child.once('message', resolve))
  child.send('used')
  const cpuMs = (await used) / 1_000
  await sleep(300)
  const mib = residentMib(child.pid)
  child.kill()
  await ended
  return { ms, cpuMs, mib }
}

async function answers(url) {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}

function residentMib(pid) {
  const text =
    process.platform === 'linux'
      ? /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]
      : spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout
  return Number(text) / 1_024
}

function inProcess(node) {
  const script = `
    const started = performance.now()
    const { createEmulator } = await import(${JSON.stringify(library)})
    const imported = performance.now()
    const emulator = await createEmulator()
    const created = performance.now()
    await emulator.close()
    console.log(JSON.stringify([imported - started, created - imported]))`
  const runs = Array.from({ length: rounds }, () =>
    JSON.parse(spawnSync(node, ['--input-type=module', '-e', script], { encoding: 'utf8', env }).stdout),
  )
  const [imports, creations] = [0, 1].map((index) => median(runs.map((times) => times[index])))
  console.table([{ name: 'in process', 'import ms': imports, 'createEmulator ms': creations }])
}

/** Processor time of `emulator.fetch`, beside making a Request and a Response and nothing else. */
function fetchTimes(node) {
  const script = `
    const { createEmulator } = await import(${JSON.stringify(library)})
    const emulator = await createEmulator({ apiKey: 'k', quotas: 'none' })
    const url = 'http://files.example/api/stats'
    const answer = await emulator.fetch(url, { headers: { 'X-Api-Key': 'k' } })
    const whole = { status: 200, statusText: 'OK', headers: Object.fromEntries(answer.headers) }
    const text = await answer.text()
    const headers = { 'X-Api-Key': 'k' }
    const init = { headers: { 'Content-Type': 'application/json' } }
    const calls = {
      'bare new Request + new Response': async () => {
        new Request(url, { headers })
        await new Response('{"uploads":0}', init).text()
      },
      'bare, the Response with the emulator’s headers': async () => {
        new Request(url, { headers })
        await new Response(text, whole).text()
      },
      'emulator.fetch(new Request(url, init))': async () =>
        (await emulator.fetch(new Request(url, { headers }))).text(),
      'emulator.fetch(url, init)': async () => (await emulator.fetch(url, { headers })).text(),
    }
    const least = {}
    for (let round = 0; round < 40; round += 1) {
      for (const [name, call] of Object.entries(calls)) {
        const before = process.cpuUsage()
        for (let times = 0; times < 500; times += 1) await call()
        const { user, system } = process.cpuUsage(before)
        least[name] = Math.min(least[name] ?? Infinity, (user + system) / 500)
      }
    }
    await emulator.close()
    console.log(JSON.stringify(least))`
  const { stdout } = spawnSync(node, ['--input-type=module', '-e', script], { encoding: 'utf8', env })
  const rows = Object.entries(JSON.parse(stdout)).map(([name, us]) => ({ name, µs: Number(us.toFixed(1)) }))
  printRatios(rows, 'µs')
}

function median(values) {
  return Number([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)].toFixed(1))
}

function least(values) {
  return Number(Math.min(...values).toFixed(1))
}
