// One command, killed at random times and run again until it ends by itself.
import { environmentOf, hasBytesOf, killAfter, upload } from './rig.mjs'

const KILLS = 4

export async function playRound(paths, { service, state }) {
  await service.control('/reset', 'POST')
  const slow = { match: { path: '/api/upload' }, times: null, action: { type: 'delay', ms: 15 } }
  await service.control('/faults', 'PUT', [slow])
  const env = environmentOf(service, state)
  const randomKill = () => killAfter(80 + Math.random() * 250)
  let [kills, before] = [0, 0]
  let { records } = await upload(paths, env, { onStart: randomKill() })
  while (records === undefined) {
    kills += 1
    before = (await service.control('/health', 'GET')).uploads
    ;({ records } = await upload(paths, env, kills < KILLS ? { onStart: randomKill() } : {}))
  }
  const counts = { kills, 'stored by killed runs': before, lost: 0, doubled: 0, 'wrongly reported': 0, unknown: 0 }
  for (const { file, status, upload: stored } of records) {
    if (status === 'unknown') counts.unknown += 1
    else if (stored === null) counts.lost += 1
    else if (!(await hasBytesOf(file, stored))) counts['wrongly reported'] += 1
  }
  const { uploads } = await service.control('/health', 'GET')
  counts.doubled += Math.max(0, uploads - paths.length)
  counts.lost += Math.max(
    0,
    new Set(records.map(({ upload: stored }) => stored?.slug)).size < paths.length - counts.unknown,
  )
  return counts
}
