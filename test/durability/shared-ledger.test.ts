import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { takesLong } from '../helpers/takes-long.ts'

const worker = fileURLToPath(new URL('../../bench/shared-ledger-worker.mjs', import.meta.url))
/** How much faster time runs for the processes; the service's windows are as much shorter. */
const speed = 25
const burst = { lengthMs: 10_000 / speed, units: 20 }
const uploadUnits = 10

/**
 * A service that counts the last ten seconds and its refusals. A killed process's request is charged at the latest when
 * the process dies: if this service reads it later, the other processes are not to blame.
 */
async function countingService(enough: number) {
  const charges: number[] = []
  const deaths = new Map<number, number>()
  let refusals = 0
  let finish = () => {}
  const done = new Promise<void>((resolve) => {
    finish = resolve
  })
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    await sleep(10)
    const pid = Number(/worker\/(\d+)/.exec(request.headers['user-agent'] ?? '')?.[1])
    const now = Math.min(Date.now(), deaths.get(pid) ?? Number.POSITIVE_INFINITY)
    const used = charges.filter((at) => at > now - burst.lengthMs && at <= now).length * uploadUnits
    if (used + uploadUnits > burst.units) refusals += 1
    else charges.push(now)
    response.writeHead(used + uploadUnits > burst.units ? 429 : 201).end()
    if (charges.length === enough) finish()
    server.emit('answered')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    done,
    /** Waits for the next answer. */
    answered: () => once(server, 'answered'),
    refusals: () => refusals,
    kill(child: ChildProcess) {
      child.kill('SIGKILL')
      deaths.set(child.pid ?? 0, Date.now())
    },
  }
}

test(
  'the service refuses no request of four processes with one key while one of them is killed again and again',
  takesLong(120, 'it starts and kills dozens of processes'),
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fh-ledger-'))
    const service = await countingService(10)
    const start = () => fork(worker, [service.url, folder, String(speed), 'burst'], { stdio: 'ignore' })
    const children: ChildProcess[] = Array.from({ length: 4 }, start)
    let isOver = false
    onTestFinished(async () => {
      for (const child of children) child.kill('SIGKILL')
      // A process that still writes would keep the folder from being empty.
      await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
      await rm(folder, { recursive: true, force: true })
    })
    const killing = (async () => {
      for (let round = 0; !isOver; round += 1) {
        // The oldest process is the first in the queue: on a slow machine each would be killed before it has an answer.
        await service.answered()
        await sleep((round * 137) % 400)
        const victim = children[round % children.length]
        if (victim === undefined || isOver) return
        service.kill(victim)
        await once(victim, 'exit')
        children[round % children.length] = start()
      }
    })()
    await service.done
    isOver = true
    await killing
    expect(service.refusals()).toBe(0)
  },
)
