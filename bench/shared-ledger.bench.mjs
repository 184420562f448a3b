// How long a reservation and its end take where eight processes share one key: each is a transaction on one SQLite file.
// npm run bench -- shared-ledger [--processes=8] [--seconds=10]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { option } from './service.mjs'

/** How much faster time runs for the processes: so that they need not wait for the windows. */
const SPEED = 5_000
const worker = new URL('shared-ledger-worker.mjs', import.meta.url).pathname

export async function run() {
  const [processes, seconds] = [Number(option('processes', 8)), Number(option('seconds', 10))]
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  const server = createServer((request, response) => request.resume().on('end', () => response.writeHead(201).end()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const times = []
  const url = `http://127.0.0.1:${server.address().port}`
  const children = Array.from({ length: processes }, () => fork(worker, [url, folder, String(SPEED)]))
  for (const child of children) child.on('message', ({ tookMs }) => times.push(tookMs))
  await sleep(seconds * 1_000)
  for (const child of children) child.kill('SIGKILL')
  server.close()
  server.closeAllConnections()
  await rm(folder, { recursive: true, force: true })
  times.sort((one, other) => one - other)
  const quantile = (share) => Number((times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(2))
  console.table([{ processes, transactions: times.length, 'p50 ms': quantile(0.5), 'p99 ms': quantile(0.99) }])
}
