// What a request to `fh emulate` costs, in processor time of the server: beside the barest node:http that answers the
// same bytes, with a data folder beside without, and with a million uploads beside a thousand, also an upload. Servers take turns, and
// of all rounds the best counts. The million takes a minute or more to make.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.mjs'
import { nodes, versionOf } from './nodes.mjs'

const fh = new URL('../bin/fh.js', import.meta.url).pathname
const usage = new URL('usage.cjs', import.meta.url).pathname
const key = 'k'.repeat(40)
const limits = ['burst', 'minute', 'hour', 'day'].map((window) => `${window}=100000000`).join(',')
const floor = `const [port, headers, body] = process.argv.slice(1).map((word) => JSON.parse(word))
require('node:http').createServer((_, answer) => {
  answer.writeHead(200, headers)
  answer.end(body)
}).listen(port, '127.0.0.1')`

export async function run() {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  const children = []
  const interrupted = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)))
  let signal
  try {
    signal = await Promise.race([compareEach(folder, children), interrupted])
  } finally {
    // A server writes until it has ended.
    await Promise.all(children.map(ended))
    await rm(folder, { recursive: true, force: true })
  }
  if (signal !== undefined) process.exit(1)
}

async function compareEach(folder, children) {
  for (const [index, node] of nodes.entries()) {
    console.log(`\nNode ${versionOf(node)}`)
    await compareAll(join(folder, String(index)), (args) => start(node, args, children))
    await Promise.all(children.splice(0).map(ended))
  }
}

async function compareAll(folder, serve) {
  const emulate = async (count, ...flags) => filled(await serve(['emulate', ...flags]), count)
  const plain = await emulate(1_000)
  const kept = await emulate(1_000, '--data', join(folder, 'thousand'))
  const rows = []
  for (const [name, path] of Object.entries(plain.paths)) {
    const bare = await serve(await answerOf(plain, path))
    rows.push({
      name,
      ...(await compare(
        [
          { ...bare, path: '/' },
          { ...plain, path },
        ],
        8,
      )),
    })
  }
  console.log('a GET, beside node:http with the same bytes')
  console.table(rows)
  const each = []
  for (const inFlight of [8, 1]) {
    const path = '/api/stats'
    each.push({
      name: `${inFlight} in flight`,
      ...(await compare(
        [
          { ...plain, path },
          { ...kept, path },
        ],
        inFlight,
      )),
    })
  }
  console.log('stats with --data, beside without')
  console.table(each)
  const large = await emulate(1_000_000, '--data', join(folder, 'million'))
  const deep = []
  for (const name of Object.keys(large.paths)) {
    const both = [kept, large].map((server) => ({ ...server, path: server.paths[name] }))
    deep.push({ name, ...(await compare(both, 8, 500)) })
  }
  const path = '/api/upload'
  deep.push({
    name: 'upload of 1 kB',
    ...(await compare(
      [kept, large].map((server) => ({ ...server, path })),
      8,
      150,
    )),
  })
  console.log('with --data: a million uploads, beside a thousand')
  console.table(deep)
}

async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

async function start(node, [name, ...words], children) {
  const port = await freePort()
  const rest = ['-q', '--port', String(port), '--api-key', key, '--quota', limits]
  const args = name === 'emulate' ? [fh, name, ...rest, ...words] : ['-e', floor, String(port), ...words]
  const child = spawn(node, ['--require', usage, ...args], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  children.push(child)
  for (let tries = 0; tries < 500; tries += 1) {
    if (await fetch(`http://127.0.0.1:${port}`).catch(() => undefined)) return { port, child }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`${name} does not answer`)
}

async function filled(server, count) {
  const address = `http://127.0.0.1:${server.port}`
  const headers = { 'Content-Type': 'application/json' }
  for (let left = count; left > 0; left -= 100_000) {
    const body = JSON.stringify({ count: Math.min(left, 100_000) })
    const { status } = await fetch(`${address}/_emulator/accounts/1/uploads`, { method: 'POST', headers, body })
    if (status >= 300) throw new Error(`No uploads were added: ${status}`)
  }
  const first = await fetch(`${address}/api/uploads`, { headers: { 'X-Api-Key': key } })
  const { data, last_page: last } = await first.json()
  const list = (page) => `/api/uploads?page=${page}`
  const paths = { stats: '/api/stats', show: `/api/uploads/${data[0].slug}`, 'first page': list(1) }
  return { ...server, paths: { ...paths, 'middle page': list(Math.ceil(last / 2)), 'last page': list(last) } }
}

async function answerOf({ port }, path) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'X-Api-Key': key } })
  const headers = [...answer.headers].filter(([name]) => !/^(connection|keep-alive)$/.test(name))
  return ['floor', JSON.stringify(Object.fromEntries(headers)), JSON.stringify(await answer.text())]
}

/** @returns microseconds of the first and of the second server for each request, and their ratio */
async function compare(servers, inFlight, times = 500) {
  const best = servers.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < 60; round += 1) {
    for (const [index, { child, port, path }] of servers.entries()) {
      const before = await usedBy(child)
      await request({ port, path, times, inFlight })
      best[index] = Math.min(best[index], ((await usedBy(child)) - before) / times)
    }
  }
  const [one, other] = best.map((us) => Number(us.toFixed(1)))
  return { 'floor µs': one, 'fh µs': other, ratio: Number((other / one).toFixed(2)) }
}

function usedBy(child) {
  return new Promise((resolve) => {
    child.once('message', resolve)
    // A server that is being ended is not asked.
    child.send('used', () => {})
  })
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
