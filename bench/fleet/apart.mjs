// What happens where some runners are cut off from Redis, and the others are not and use the whole quota.
import { setTimeout as sleep } from 'node:timers/promises'
import { startFleet } from './fleet-run.mjs'
import { compare, printMessages } from './runner.mjs'

const apartMs = 45_000

export async function apart(belongings, { files, runners }) {
  const fleet = await startFleet(belongings, { files, runners })
  await sleep(12_000)
  const swallowed = fleet.lines.slice(0, runners / 5)
  const slow = fleet.lines[swallowed.length]
  for (const line of swallowed) line.swallow()
  slow.slowDown(600)
  fleet.lines.at(-1).cut()
  await sleep(apartMs)
  for (const line of swallowed) line.mend()
  slow.slowDown(0)
  const results = await fleet.results()
  printMessages(results)
  const { copies, refusals } = await fleet.service.outcome()
  const row = { runners, pictures: files, 'cut off': swallowed.length + 1, 's each': apartMs / 1_000 }
  const counts = { ...compare(fleet.pictures, copies), refusals }
  console.table([{ ...row, ...counts, failed: results.filter(({ code }) => code !== 0).length }])
  if (counts.lost + counts.doubled > 0) process.exitCode = 1
}
