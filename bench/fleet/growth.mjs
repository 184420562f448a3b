// Whether Redis keeps more and more: a million reservations by several ledgers at once.
import { systemClock } from '../../dist/index.js'
import { redisLedger } from '../../dist/redis.js'
import { patiently } from './patiently.mjs'
import { startRedis } from './redis-server.mjs'

const ledgerCount = 3
/** Reservations of one ledger under way at once. */
const together = 20
const rowEvery = 0.1

/** @param {{ reservations: number }} options */
export async function growth(belongings, { reservations }) {
  const redis = await startRedis(belongings)
  const limits = { burst: null, minute: null, hour: null, day: null }
  const account = { baseUrl: 'http://127.0.0.1', apiKey: 'bench', clock: systemClock, limits, reserve: 0 }
  const ledgers = Array.from({ length: ledgerCount }, () =>
    redisLedger(redis.url).open({ ...account, folder: undefined }),
  )
  let begun = 0
  let done = 0
  const startedAt = performance.now()
  const worker = async (ledger) => {
    while (begun < reservations) {
      begun += 1
      const { type, id } = await patiently(() => ledger.reserve(10, systemClock.now()))
      if (type !== 'granted') throw new Error(`a reservation is ${type}`)
      const outcome = { type: 'answered', at: systemClock.now(), status: 201, report: { cost: 10 } }
      await patiently(() => ledger.settle(id, outcome))
      done += 1
    }
  }
  const rows = []
  const working = Promise.all(ledgers.flatMap((ledger) => Array.from({ length: together }, () => worker(ledger))))
  while (done < reservations) {
    await Promise.race([working, systemClock.sleep(1_000)])
    if (done < reservations * rowEvery * (rows.length + 1)) continue
    rows.push(await sizes(redis, done))
    console.log(`  ${JSON.stringify({ ...rows.at(-1), seconds: Math.round((performance.now() - startedAt) / 1_000) })}`)
  }
  await working
  for (const ledger of ledgers) ledger.close?.()
  console.table(rows)
  const keys = await redis.keys()
  console.table(keys)
  if (keys.some(({ ttl }) => ttl < 0)) {
    console.log('  a key never expires')
    process.exitCode = 1
  }
}

async function sizes(redis, done) {
  const keys = await redis.keys()
  const memory = await redis.command('INFO', 'memory')
  return {
    reservations: done,
    keys: Number(await redis.command('DBSIZE')),
    'keys without expiry': keys.filter(({ ttl }) => ttl < 0).length,
    'KB of all keys': Math.round(keys.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000),
    scripts: Number(/number_of_cached_scripts:(\d+)/.exec(memory)?.[1]),
  }
}
