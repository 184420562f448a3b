// Whether each picture is stored exactly once while runners are killed and Redis forgets.
import { setTimeout as sleep } from 'node:timers/promises'
import { startFleet } from './fleet-run.mjs'
import { compare, printMessages } from './runner.mjs'

const betweenKillsMs = 2_500

/** @param {{ kills: number, files: number, runners: number }} options */
export async function kills(belongings, { kills, files, runners }) {
  const fleet = await startFleet(belongings, { files, runners })
  const at = (share) => Math.round(kills * share)
  let played = 0
  let wiped = 0
  for (; played < kills; played += 1) {
    await sleep(betweenKillsMs * 2 * Math.random())
    if (played === at(0.2)) await fleet.redis.save()
    if (played === at(0.35)) await fleet.redis.restart({ from: 'saved copy' })
    if (played === at(0.7)) await fleet.redis.restart({ from: 'nothing' })
    const active = fleet.active()
    if (active.length === 0) break
    const fresh = Math.random() < 0.4
    if (fresh) wiped += 1
    await fleet.restart(active[Math.floor(Math.random() * active.length)], { fresh })
  }
  const results = await fleet.results()
  printMessages(results)
  const { requests, copies, refusals } = await fleet.service.outcome()
  const row = {
    runners,
    pictures: files,
    kills: played,
    'of these fresh': wiped,
    'Redis restarts': 2,
    ...compare(fleet.pictures, copies),
    failed: results.filter(({ code }) => code !== 0).length,
    refusals,
    'refusals allowed': played + 2 * runners,
    'uploads sent': requests.filter(({ endpoint }) => endpoint === '/api/upload').length,
    'other requests': requests.filter(({ endpoint }) => endpoint !== '/api/upload').length,
  }
  console.table([row])
  console.log(`  ${JSON.stringify(row)}`)
  if (row.lost + row.doubled + row.failed > 0 || refusals > row['refusals allowed']) process.exitCode = 1
}
