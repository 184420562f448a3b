// The emulator in tests: time to the first answer and memory when idle, compared with bare Node and similar tools; and
// the cost of an emulator, and of its answers, in the test's own process. Processor time decides: contenders take turns, and
// of all rounds the best counts.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.mjs'
import { nodes, versionOf } from './nodes.mjs'
import { installPeers, servers as peerServers } from './peers.mjs'
import { fh } from './service.mjs'

const library = new URL('../dist/emulator.js', import.meta.url).href
const usage = new URL('usage.cjs', import.meta.url).pathname
/** Without a variable that doubles Node's start. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
const rounds = 12

export async function run() {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  try {
    const peers = installPeers(folder)
    const servers = contenders(folder, peers)
    for (const node of nodes) {
      console.log(`\nNode ${versionOf(node)}`)
      await compareServers(servers, node)
      inProcess(node)
      if (peers.msw !== undefined) fetchTimes(node, folder)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function contenders(folder, peers) {
  const bare = "require('node:http').createServer((_, r) => r.end('{}')).listen(process.argv[1], '127.0.0.1')"
  const own = [
    { name: 'bare node:http (floor)', args: (port) => ['-e', bare, port], path: '/' },
    { name: 'fh emulate', args: (port) => [fh, 'emulate', '-q', '--port', port], path: '/_emulator/health' },
  ]
  const others = Object.entries(peers).filter(([name]) => peerServers[name] !== undefined)
  return [
    ...own,
    ...others.map(([name, path]) => ({
      name,
      args: (port) => peerServers[name](path, { folder, port: Number(port), text: '{"uploads":0}' }),
      path: '/api/stats',
    })),
  ]
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
  // What else a server tells its parent is not what it used.
  const used = new Promise((resolve) => child.on('message', (used) => typeof used === 'number' && resolve(used)))
  child.send('used')
  const cpuMs = options.length > 0 ? (await used) / 1_000 : undefined
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
    const times = [performance.now()]
    const { createEmulator } = await import(${JSON.stringify(library)})
    times.push(performance.now())
    for (let count = 0; count < 2; count += 1) {
      const emulator = await createEmulator()
      times.push(performance.now())
      await emulator.close()
      times.push(performance.now())
    }
    console.log(JSON.stringify([times[1] - times[0], times[2] - times[1], times[4] - times[3]]))`
  const runs = Array.from({ length: rounds }, () => resultOf(node, script))
  const [imports, first, second] = [0, 1, 2].map((index) => least(runs.map((times) => times[index])))
  console.table([{ name: 'in process', 'import ms': imports, 'createEmulator ms': first, 'the second ms': second }])
}

/** Processor time of a GET in the process: `emulator.fetch` beside a mock of MSW that answers with a constant. */
function fetchTimes(node, folder) {
  const script = `
    const { createEmulator } = await import(${JSON.stringify(library)})
    const { getResponse, http, HttpResponse } = await import('msw')
    const emulator = await createEmulator({ apiKey: 'k', quotas: 'none' })
    const url = 'http://files.example/api/stats'
    const headers = { 'X-Api-Key': 'k' }
    const body = await (await emulator.fetch(url, { headers })).json()
    const handlers = [http.get(url, () => HttpResponse.json(body))]
    const calls = {
      'getResponse of msw': async () => (await getResponse(handlers, new Request(url, { headers }))).text(),
      'emulator.fetch': async () => (await emulator.fetch(url, { headers })).text(),
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
  printRatios(
    Object.entries(resultOf(node, script, folder)).map(([name, us]) => ({ name, µs: Number(us.toFixed(1)) })),
    'µs',
  )
}

function resultOf(node, script, cwd) {
  const { stdout, stderr } = spawnSync(node, ['--input-type=module', '-e', script], { encoding: 'utf8', env, cwd })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

function median(values) {
  return Number([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)].toFixed(1))
}

function least(values) {
  return Number(Math.min(...values).toFixed(1))
}
