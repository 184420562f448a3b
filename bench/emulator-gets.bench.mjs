// What a request to `fh emulate` costs, in processor time of the server: beside the barest node:http that answers the same
// bytes and headers, and other servers for tests; with a data folder; and with a million uploads. Servers take turns, and
// of all rounds the best counts.
// npm run bench -- emulator-gets [--rounds=60] [--uploads=1000000] [--peers=no]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.mjs'
import { nodes, versionOf } from './nodes.mjs'
import { installPeers, servers as peerServers } from './peers.mjs'
import { fh, option } from './service.mjs'

const usage = new URL('usage.cjs', import.meta.url).pathname
const key = 'k'.repeat(40)
const limits = ['burst', 'minute', 'hour', 'day'].map((window) => `${window}=100000000`).join(',')
const bare = `const [port, headers, body] = process.argv.slice(1).map((word) => JSON.parse(word))
require('node:http').createServer((_, answer) => {
  answer.writeHead(200, headers)
  answer.end(body)
}).listen(port, '127.0.0.1')`
const stats = '/api/stats'

export async function run() {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  const children = []
  const interrupted = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)))
  const peers = option('peers', 'yes') === 'no' ? {} : installPeers(folder)
  const compareEach = async () => {
    for (const [index, node] of nodes.entries()) {
      console.log(`\nNode ${versionOf(node)}`)
      await compareAll({ folder: join(folder, String(index)), shared: folder, peers, node, children })
      await Promise.all(children.splice(0).map(ended))
    }
  }
  let signal
  try {
    signal = await Promise.race([compareEach(), interrupted])
  } finally {
    // A server writes until it has ended.
    await Promise.all(children.map(ended))
    await rm(folder, { recursive: true, force: true })
  }
  if (signal !== undefined) process.exit(1)
}

async function compareAll({ folder, shared, peers, node, children }) {
  const serve = async (words, port) => start(node, words, { port: port ?? (await freePort()), children })
  const emulate = async (...flags) => {
    const port = await freePort()
    return serve([fh, 'emulate', '-q', '--port', port, '--api-key', key, '--quota', limits, ...flags], port)
  }
  const plain = { name: 'fh emulate', ...(await emulate()), path: stats }
  const kept = { name: 'fh emulate --data', ...(await emulate('--data', join(folder, 'thousand'))), path: stats }
  for (const server of [plain, kept]) await fill(server, 1_000)
  const bareFor = async (path) => {
    const port = await freePort()
    const { headers, text } = await answerOf(plain, path)
    return { name: 'node:http', ...(await serve(['-e', bare, port, headers, JSON.stringify(text)], port)), path, text }
  }
  const floor = await bareFor(stats)
  const others = []
  for (const [name, path] of Object.entries(peers)) {
    if (peerServers[name] === undefined) continue
    const port = await freePort()
    const words = peerServers[name](path, { folder: shared, port, text: floor.text })
    others.push({ name, ...(await serve(words, port)), path: stats })
  }
  await print('GET /api/stats, 8 in flight', [floor, plain, kept, ...others], 8)
  await print('the same with 1 in flight', [floor, plain, kept], 1)
  for (const end of [floor, ...others]) await ended(end.child)
  const { first } = await pagesOf(plain)
  await print('a page of 50 uploads', [await bareFor(first), { ...plain, path: first }, { ...kept, path: first }], 8)
  await compareMillion({ kept, data: join(folder, 'million'), emulate })
}

async function compareMillion({ kept, data, emulate }) {
  const count = Number(option('uploads', 1_000_000))
  const startedAt = performance.now()
  const made = await emulate('--data', data)
  await fill(made, count)
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  await ended(made.child)
  const before = performance.now()
  const large = await emulate('--data', data)
  const ms = Math.round(performance.now() - before)
  const [, kib] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${large.child.pid}/status`, 'utf8')) ?? []
  console.log(
    `${count.toLocaleString('en')} uploads: made in ${seconds} s, a start takes ${ms} ms, ${Math.round(kib / 1_024)} MiB`,
  )
  const [small, pages] = [await pagesOf(kept), await pagesOf(large)]
  const server = (name, path) => ({ ...large, name, path })
  const rows = Object.entries(pages).map(([name, path]) => server(`its ${name} page`, path))
  await print('pages', [{ ...kept, name: 'the first of a thousand', path: small.first }, ...rows], 8)
  const upload = '/api/upload'
  await print(
    'uploads of 1 kB',
    [{ ...kept, name: 'beside 1,000', path: upload }, server('beside all', upload)],
    8,
    150,
  )
}

async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

async function start(node, words, { port, children }) {
  const child = spawn(node, ['--require', usage, ...words.map(String)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  children.push(child)
  for (let tries = 0; tries < 3_000; tries += 1) {
    if (await fetch(`http://127.0.0.1:${port}`).catch(() => undefined)) return { port, child }
    await sleep(5)
  }
  throw new Error(`${words.join(' ')} does not answer`)
}

async function fill({ port }, count) {
  const headers = { 'Content-Type': 'application/json' }
  for (let left = count; left > 0; left -= 100_000) {
    const body = JSON.stringify({ count: Math.min(left, 100_000) })
    const { status } = await fetch(`http://127.0.0.1:${port}/_emulator/accounts/1/uploads`, {
      method: 'POST',
      headers,
      body,
    })
    if (status >= 300) throw new Error(`No uploads were added: ${status}`)
  }
}

async function pagesOf(server) {
  const { last_page: last } = JSON.parse((await answerOf(server, '/api/uploads')).text)
  const page = (number) => `/api/uploads?page=${number}`
  return { first: page(1), middle: page(Math.ceil(last / 2)), last: page(last) }
}

async function answerOf({ port }, path) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'X-Api-Key': key } })
  const headers = [...answer.headers].filter(([name]) => !/^(connection|keep-alive)$/.test(name))
  return { headers: JSON.stringify(Object.fromEntries(headers)), text: await answer.text() }
}

/** Microseconds of each server for a request, and their ratio to those of the first. */
async function print(what, servers, inFlight, times = 500) {
  const best = servers.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < Number(option('rounds', 60)); round += 1) {
    for (const [index, { child, port, path }] of servers.entries()) {
      const before = await usedBy(child)
      await request({ port, path, times, inFlight })
      best[index] = Math.min(best[index], ((await usedBy(child)) - before) / times)
    }
  }
  console.log(what)
  const ratio = (us) => Number((us / best[0]).toFixed(2))
  console.table(
    servers.map(({ name }, index) => ({ name, µs: Number(best[index].toFixed(1)), ratio: ratio(best[index]) })),
  )
}
/** Microseconds of processor time. What else a server tells its parent is not this. */
async function usedBy(child) {
  // A server that is being ended is not asked.
  child.send('used', () => {})
  for (;;) {
    const [used] = await once(child, 'message')
    if (typeof used === 'number') return used
  }
}

const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.gif"\r\n\r\n'
const body = `${part}${'GIF89a'.padEnd(1_000, 'x')}\r\n--b--\r\n`
const form = `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** Over connections of its own, with as little work for this process as there can be. */
function request({ port, path, times, inFlight }) {
  const rest = `${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Api-Key: ${key}\r\nAccept: application/json\r\n`
  const text = path === '/api/upload' ? `POST ${rest}${form}` : `GET ${rest}\r\n`
  let [left, open] = [times, inFlight]
  return new Promise((resolve, reject) => {
    for (let count = 0; count < inFlight; count += 1) {
      const socket = connect(port, '127.0.0.1').setNoDelay().on('error', reject)
      let [head, missing] = ['', 0]
      const next = () => {
        ;[head, missing] = ['', 0]
        left -= 1
        if (left >= 0) return socket.write(text)
        socket.end()
        open -= 1
        if (open === 0) resolve()
      }
      socket.on('connect', next).on('data', (chunk) => {
        if (missing === 0) head += chunk.toString('latin1')
        missing = missing === 0 ? missingBehind(head) : missing - chunk.length
        if (missing === 0) next()
      })
    }
  })
}

/** How many bytes of an answer have not arrived with its head, which comes in one piece. */
function missingBehind(head) {
  if (!/^HTTP\/1.1 20[01]/.test(head)) throw new Error(head)
  return head.indexOf('\r\n\r\n') + 4 + Number(/content-length: (\d+)/i.exec(head)[1]) - head.length
}
