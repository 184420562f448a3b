// The shared ledger: one key, eight processes, one of which is killed every 0.7 s. Time runs 50 times faster, because the
// windows are long; the service counts every window to the millisecond.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const speed = 50
const uploads = 120
const processes = 8
const killEveryMs = 700
const cost = 10
const windows = [
  { lengthMs: 10_000, limit: 20 },
  { lengthMs: 60_000, limit: 60 },
  { lengthMs: 3_600_000, limit: 1_000 },
]
const worker = new URL('shared-ledger-worker.mjs', import.meta.url).pathname

export async function run() {
  const rows = []
  for (const kills of [false, true]) rows.push(await measure(kills))
  console.table(rows)
}

async function measure(kills) {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'))
  const service = await startService()
  const operations = []
  let running = true
  let killed = 0
  const children = Array.from({ length: processes }, () => start())

  function start() {
    const child = fork(worker, [service.url, folder, String(speed)], { stdio: 'inherit' })
    child.on('message', ({ tookMs, underWay }) => {
      operations.push(tookMs)
      child.underWay = underWay
    })
    return child
  }

  const startedAt = Date.now()
  const killing = (async () => {
    while (kills && running) {
      await sleep(killEveryMs)
      const index = Math.floor(Math.random() * processes)
      if (!running) return
      children[index].kill('SIGKILL')
      await once(children[index], 'exit')
      service.assume(children[index].pid, children[index].underWay ?? 0)
      children[index] = start()
      killed += 1
    }
  })()
  await service.done
  const tookMs = Date.now() - startedAt
  running = false
  await killing
  for (const child of children) child.kill('SIGKILL')
  service.close()
  await rm(folder, { recursive: true, force: true })

  operations.sort((a, b) => a - b)
  const quantile = (share) => Number((operations[Math.floor(operations.length * share)] ?? Number.NaN).toFixed(2))
  return {
    processes,
    kills: killed,
    refusals: service.refusals(),
    'ratio to floor': Number((tookMs / (service.lastDueAt() - startedAt)).toFixed(2)),
    seconds: Number((tookMs / 1_000).toFixed(1)),
    'longest stall s': Number((service.longestStallMs() / 1_000).toFixed(2)),
    'ledger op p50 ms': quantile(0.5),
    'ledger op p99 ms': quantile(0.99),
  }
}

/** Charges a request when it answers, the worst instant for a client that counts from sending. */
async function startService() {
  const charges = []
  /** With the charges that a ledger must assume for requests killed before they arrived. */
  const assumed = []
  const visitors = new Set()
  let refusals = 0
  let stored = 0
  let longestStallMs = 0
  let finish
  const done = new Promise((resolve) => {
    finish = resolve
  })
  const startedAt = Date.now()
  /** When all windows have room for another request. */
  const dueAt = (instants) =>
    Math.max(startedAt, ...windows.map(({ lengthMs, limit }) => (instants.at(-(limit / cost)) ?? 0) + lengthMs / speed))
  const server = createServer(async (request, response) => {
    const visitor = Number(/worker\/(\d+)/.exec(request.headers['user-agent'])?.[1])
    visitors.add(visitor)
    for await (const _ of request);
    await sleep((300 + Math.random() * 2_700) / speed)
    const now = Date.now()
    visitors.delete(visitor)
    if (dueAt(charges) > now) {
      refusals += 1
      response.writeHead(429).end()
      return
    }
    longestStallMs = Math.max(longestStallMs, now - dueAt(assumed))
    charges.push(now)
    assumed.push(now)
    stored += 1
    if (stored === uploads) finish()
    response.writeHead(201).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    done,
    refusals: () => refusals,
    assume(pid, underWay) {
      if (underWay > 0 && !visitors.delete(pid)) assumed.push(Date.now())
    },
    longestStallMs: () => longestStallMs,
    lastDueAt: () => startedAt + floorMs(),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** When the last upload is charged, if each is charged as soon as it has room. */
function floorMs() {
  const charges = []
  for (let index = 0; index < uploads; index += 1) {
    charges.push(
      Math.max(0, ...windows.map(({ lengthMs, limit }) => (charges.at(-(limit / cost)) ?? -lengthMs) + lengthMs)),
    )
  }
  return charges.at(-1) / speed
}
