// The emulator in tests: time to the first answer and memory when idle, compared with bare Node and a similar tool; and
// the cost of an emulator, and of its answers, in the test's own process.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const fh = new URL('../bin/fh.js', import.meta.url).pathname
const library = new URL('../dist/emulator.js', import.meta.url).href
const rounds = 7

export async function run() {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  try {
    await compareServers(await contenders(folder))
    inProcess()
    fetchRates()
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
async function compareServers(servers) {
  const samples = servers.map(() => [])
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, server] of servers.entries()) {
      const sample = await measure(server)
      if (round > 0) samples[index].push(sample)
    }
  }
  const rows = servers.map(({ name }, index) => ({
    name,
    'first answer ms': median(samples[index].map(({ ms }) => ms)),
    'idle MiB': median(samples[index].map(({ mib }) => mib)),
  }))
  const [floor] = rows
  console.table(
    rows.map((row) => ({ ...row, ratio: Number((row['first answer ms'] / floor['first answer ms']).toFixed(2)) })),
  )
}

async function measure({ args, path }) {
  const port = await freePort()
  const startedAt = performance.now()
  const child = spawn('node', args(String(port)), { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  while (!(await answers(`http://127.0.0.1:${port}${path}`))) await sleep(2)
  const ms = performance.now() - startedAt
  await sleep(300)
  const mib = residentMib(child.pid)
  child.kill()
  await ended
  return { ms, mib }
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

function inProcess() {
  const script = `
    const started = performance.now()
    const { createEmulator } = await import(${JSON.stringify(library)})
    const imported = performance.now()
    const emulator = await createEmulator()
    const created = performance.now()
    await emulator.close()
    console.log(JSON.stringify([imported - started, created - imported]))`
  const runs = Array.from({ length: rounds }, () =>
    JSON.parse(spawnSync('node', ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout),
  )
  const [imports, creations] = [0, 1].map((index) => median(runs.map((times) => times[index])))
  console.table([{ name: 'in process', 'import ms': imports, 'createEmulator ms': creations }])
}

/** Requests per second of `emulator.fetch`, beside making a Request and a Response and nothing else. */
function fetchRates() {
  const script = `
    const { createEmulator } = await import(${JSON.stringify(library)})
    const emulator = await createEmulator({ apiKey: 'k', quotas: 'none' })
    const url = 'http://files.example/api/stats'
    const headers = { 'X-Api-Key': 'k' }
    const init = { headers: { 'Content-Type': 'application/json' } }
    const calls = {
      'bare new Request + new Response': async () => {
        new Request(url, { headers })
        await new Response('{"uploads":0}', init).text()
      },
      'emulator.fetch(new Request(url, init))': async () =>
        (await emulator.fetch(new Request(url, { headers }))).text(),
      'emulator.fetch(url, init)': async () => (await emulator.fetch(url, { headers })).text(),
    }
    const rates = Object.fromEntries(Object.keys(calls).map((name) => [name, []]))
    for (let round = 0; round <= ${rounds}; round += 1) {
      for (const [name, call] of Object.entries(calls)) {
        const started = performance.now()
        for (let times = 0; times < 2_000; times += 1) await call()
        if (round > 0) rates[name].push(2_000_000 / (performance.now() - started))
      }
    }
    await emulator.close()
    console.log(JSON.stringify(rates))`
  const { stdout } = spawnSync('node', ['--input-type=module', '-e', script], { encoding: 'utf8' })
  const rows = Object.entries(JSON.parse(stdout)).map(([name, rates]) => ({ name, 'requests/s': median(rates) }))
  const [floor] = rows
  console.table(rows.map((row) => ({ ...row, ratio: Number((row['requests/s'] / floor['requests/s']).toFixed(2)) })))
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function median(values) {
  return Number([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)].toFixed(1))
}
