// What happens to runners that are paused for longer than their leases last: docs/fleet.md excepts them from "once".
import { setTimeout as sleep } from 'node:timers/promises'
import { startFleet } from './fleet-run.mjs'
import { compare, printMessages } from './runner.mjs'

const pauseMs = 40_000
/** Most runners: some of them are sending. */
const paused = 15

export async function pause(belongings, { files, runners }) {
  const fleet = await startFleet(belongings, { files, runners })
  await sleep(4_000)
  const stopped = fleet.active().slice(0, paused)
  for (const index of stopped) {
    fleet.process(index).kill('SIGSTOP')
    await sleep(20 * Math.random())
  }
  await sleep(pauseMs)
  for (const index of stopped) fleet.process(index).kill('SIGCONT')
  const results = await fleet.results()
  printMessages(results)
  const { copies, refusals } = await fleet.service.outcome()
  const row = { runners, pictures: files, paused: stopped.length, 's each': pauseMs / 1_000 }
  const counts = { ...compare(fleet.pictures, copies), refusals }
  console.table([{ ...row, ...counts, failed: results.filter(({ code }) => code !== 0).length }])
  if (counts.lost > 0) process.exitCode = 1
}
