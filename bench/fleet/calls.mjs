// What a reservation through Redis costs: how long it takes, how many a second, and what Redis keeps of a thousand uploads.

import { join } from 'node:path'
import { systemClock } from '../../dist/index.js'
import { redisLedger } from '../../dist/redis.js'
import { writePictures } from '../pictures.mjs'
import { openLine } from './line.mjs'
import { startRedis } from './redis-server.mjs'
import { printMessages, startRunner } from './runner.mjs'
import { startService } from './service.mjs'

const roomForAll = { burst: 1e6, minute: 1e6, hour: 1e6, day: 1e6 }
const unlimited = { burst: null, minute: null, hour: null, day: null }
/** Of each ledger between two requests where it is paced. */
const pauseMs = 2_000
let accounts = 0

export async function calls(belongings) {
  const rows = []
  for (const [name, setting] of Object.entries({
    'one ledger, loopback': { ledgers: 1, each: 1_000 },
    'one ledger, up to 50 ms each way': { ledgers: 1, each: 100, upToMs: 50 },
    '20 ledgers, up to 50 ms, paced': { ledgers: 20, each: 20, upToMs: 50, pauseMs },
    '20 ledgers, up to 50 ms, all at once': { ledgers: 20, each: 20, upToMs: 50 },
    '20 ledgers, loopback, all at once': { ledgers: 20, each: 100 },
    '20 ledgers, loopback, no limits': { ledgers: 20, each: 100, limits: unlimited },
  })) {
    rows.push({ name, ...(await measure(belongings, setting)) })
    console.log(`  ${JSON.stringify(rows.at(-1))}`)
  }
  console.table(rows)
  await printMemory(belongings)
}

async function measure(belongings, { ledgers: count, each, upToMs, pauseMs: pause = 0, limits = roomForAll }) {
  const redis = await startRedis(belongings)
  const account = accountOf(limits)
  const ledgers = []
  for (let index = 0; index < count; index += 1) {
    const url = upToMs === undefined ? redis.url : (await openLine(belongings, redis.port, upToMs)).url
    ledgers.push(redisLedger(url).open(account))
  }
  const took = { reserve: [], settle: [], failures: 0 }
  // Connected, before anything is measured.
  for (const ledger of ledgers) await request(ledger)
  const before = await redis.commandCounts()
  const startedAt = performance.now()
  await Promise.all(
    ledgers.map(async (ledger) => {
      await systemClock.sleep(pause * Math.random())
      for (let number = 0; number < each; number += 1) {
        await request(ledger, took)
        if (pause > 0) await systemClock.sleep(pause * 2 * Math.random())
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  const after = await redis.commandCounts()
  for (const ledger of ledgers) ledger.close?.()
  const requests = count * each
  return {
    requests,
    'reserve p50 ms': quantile(took.reserve, 0.5),
    'reserve p99 ms': quantile(took.reserve, 0.99),
    'settle p50 ms': quantile(took.settle, 0.5),
    'settle p99 ms': quantile(took.settle, 0.99),
    'requests a second': Math.round(requests / seconds),
    'calls per request': Number(((scripts(after) - scripts(before)) / requests).toFixed(2)),
    'calls that took over a second': took.failures,
  }
}

const scripts = ({ EVALSHA = 0, EVAL = 0 }) => EVALSHA + EVAL

function accountOf(limits) {
  accounts += 1
  const baseUrl = `http://127.0.0.1:${accounts}`
  return { baseUrl, apiKey: 'bench', clock: systemClock, limits, folder: undefined }
}

/** Reserves until it is granted, and settles as a success. A call that Redis answers too late is made again. */
async function request(ledger, took = { reserve: [], settle: [], failures: 0 }) {
  const again = async (call) => {
    for (;;) {
      try {
        return await call()
      } catch (error) {
        if (error.name !== 'StoreError') throw error
        took.failures += 1
      }
    }
  }
  let startedAt = performance.now()
  let reservation = await again(() => ledger.reserve(10, systemClock.now()))
  while (reservation.type === 'denied') {
    await again(() => ledger.changed())
    reservation = await again(() => ledger.reserve(10, systemClock.now()))
  }
  took.reserve.push(performance.now() - startedAt)
  startedAt = performance.now()
  const outcome = { type: 'answered', at: systemClock.now(), status: 201, report: { cost: 10 } }
  await again(() => ledger.settle(reservation.id, outcome))
  took.settle.push(performance.now() - startedAt)
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return Number((sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1))
}

/** A thousand uploads by two runners that share a folder. */
async function printMemory(belongings) {
  const files = 1_000
  const redis = await startRedis(belongings)
  const service = await startService(belongings, ['--no-quota'])
  const paths = (await writePictures(belongings.folder, files)).map(({ path }) => path)
  const limits = Object.entries(roomForAll).map(([name, units]) => `${name}=${units}`)
  const runner = (name) => ({ paths, state: join(belongings.folder, name), ledger: redis.url, limits: limits.join() })
  printMessages(await Promise.all(['a', 'b'].map((name) => startRunner(belongings, service, runner(name)).ended)))
  const counts = await redis.commandCounts()
  console.log(`  ${files} uploads by two runners: ${scripts(counts) / files} calls per upload; then Redis keeps`)
  console.table(await redis.keys())
  console.log(`  ${JSON.stringify({ counts, memory: await redis.keys() })}`)
}
