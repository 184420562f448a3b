// How fast twenty runners share one key, against the optimum of a client that knows the service's own count; from the first
// request to the end of the last process.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { importSource } from '../import-source.mjs'
import { writePictures } from '../pictures.mjs'
import { openLine } from './line.mjs'
import { startRedis } from './redis-server.mjs'
import { compare, printMessages, startRunner } from './runner.mjs'
import { startService } from './service.mjs'

const quota = { burst: 20, minute: 60, hour: 1_000, day: 10_000 }
/** So that not all processes start in the same seconds. */
const betweenKindsMs = 30_000

/**
 * @param {{ kinds: readonly string[], ledger: 'redis' | 'file', files: number, runners: number, share: 'split' | 'all' }} options
 * `split`: each runner has files of its own; `all`: each has the whole folder
 */
export async function pace(belongings, options) {
  const redis = options.ledger === 'redis' ? await startRedis(belongings) : undefined
  const { optimum } = await importSource(new URL('./optimum.ts', import.meta.url))
  const runs = options.kinds.map(async (kind, index) => {
    await sleep(index * betweenKindsMs)
    const folder = join(belongings.folder, `${options.ledger}-${kind}`)
    return runKind(belongings, kind, { ...options, folder, redis, optimum })
  })
  console.table(await Promise.all(runs))
  if (redis) await printCommands(redis, options)
}

async function runKind(belongings, kind, { files, runners, share, folder, redis, optimum }) {
  await mkdir(folder)
  const pictures = await writePictures(folder, files)
  const limits = Object.entries(quota).map(([name, units]) => `${name}=${units}`)
  const service = await startService(belongings, ['--set', `quota_windows=${kind}`, '--quota', limits.join(',')])
  const lines = []
  const ends = []
  for (let index = 0; index < runners; index += 1) {
    const own = share === 'all' ? pictures : pictures.filter((_, number) => number % runners === index)
    if (redis) lines.push(await openLine(belongings, redis.port))
    const state = join(folder, redis ? `state-${index}` : 'state')
    const job = { paths: own.map(({ path }) => path), state, ledger: lines.at(-1)?.url }
    ends.push(startRunner(belongings, service, job).ended)
  }
  const results = await Promise.all(ends)
  const endedAt = Date.now()
  const { requests, copies, refusals } = await service.outcome()
  // Starting twenty processes takes as long as the machine needs for it, and is no pacing.
  const startedAt = Date.parse(requests[0].at)
  const tookMs = endedAt - startedAt
  service.end()
  for (const line of lines) line.close()
  printMessages(results)
  const costs = requests.map(({ cost }) => cost)
  const floorMs = optimum(kind, quota, startedAt, Array(files).fill(10))
  const withReadsMs = optimum(kind, quota, startedAt, costs)
  const seconds = (ms) => Number((ms / 1_000).toFixed(1))
  const row = {
    kind,
    ledger: redis ? 'Redis' : 'file',
    uploads: files,
    refusals,
    ...compare(pictures, copies),
    failed: results.filter(({ code }) => code !== 0).length,
    'other requests': requests.filter(({ endpoint }) => endpoint !== '/api/upload').length,
    'optimum s': seconds(floorMs),
    s: seconds(tookMs),
    ratio: Number((tookMs / floorMs).toFixed(3)),
    'ratio, other requests in the optimum': Number((tookMs / withReadsMs).toFixed(3)),
  }
  if (row.refusals + row.lost + row.doubled + row.failed > 0 || row.ratio > 1.1) process.exitCode = 1
  console.log(`  ${JSON.stringify(row)}`)
  return row
}

/** Commands within a script are counted too. */
async function printCommands(redis, { kinds, files }) {
  const { KEYS: _, PING: __, INFO: ___, ...counts } = await redis.commandCounts()
  const uploads = kinds.length * files
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const perUpload = (count) => Number((count / uploads).toFixed(2))
  const scripts = (counts.EVALSHA ?? 0) + (counts.EVAL ?? 0)
  console.table([
    { uploads, 'calls per upload': perUpload(scripts), 'commands per upload, those in scripts too': perUpload(all) },
  ])
  console.log(`  ${JSON.stringify(counts)}`)
}
