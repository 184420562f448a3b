// Two or three runs at once on one state folder, each with a part of the files, while answers are lost or are a page's; one
// may be killed, one may stand still for a while. Then one more run of all files, without faults.
import { environmentOf, hasBytesOf, killAfter, upload } from './rig.mjs'

const page = { type: 'html_error', status: 503 }
const cut = { type: 'commit_then_drop' }
const empty = { type: 'status', status: 200, body: '' }
const reset = { type: 'reset_before' }
const FAULTS = 6

const oneOf = (values) => values[Math.floor(Math.random() * values.length)]
const between = (from, to) => from + Math.random() * (to - from)

export async function playTogether(paths, { service, state }) {
  await service.control('/reset', 'POST')
  await service.control('/faults', 'PUT', randomFaults())
  const env = environmentOf(service, state)
  const counts = { runs: 0, kills: 0, stops: 0, lost: 0, doubled: 0, 'mixed up': 0, 'wrongly reported': 0, unknown: 0 }
  const fates = Array.from({ length: oneOf([2, 3]) }, () => oneOf(['end', 'kill', 'stop']))
  const ended = await Promise.all(
    fates.map(async (fate) => {
      const files = paths.filter(() => Math.random() < 0.3)
      const onStart = { end: undefined, kill: killAfter(between(150, 900)), stop: stopFor(between(150, 900), 2_000) }[
        fate
      ]
      counts.runs += 1
      if (fate === 'stop') counts.stops += 1
      return files.length === 0 ? [] : [await upload(files, env, onStart && { onStart })]
    }),
  )
  await service.control('/faults', 'PUT', [])
  const last = await upload(paths, env)
  for (const { records, exitCode } of [...ended.flat(), last]) {
    if (records === undefined) counts.kills += 1
    else await judge(records, exitCode, counts)
  }
  counts.lost += last.records.filter(({ upload: stored, status }) => stored === null && status !== 'unknown').length
  const { uploads } = await service.control('/health', 'GET')
  counts.doubled += Math.max(0, uploads - paths.length)
  return counts
}

async function judge(records, exitCode, counts) {
  for (const { file, status, upload: stored } of records) {
    if (status === 'unknown') counts.unknown += 1
    if (stored !== null && !(await hasBytesOf(file, stored))) counts['mixed up'] += 1
  }
  const isDone = records.every(({ upload: stored }) => stored !== null)
  // Null: killed once it had reported.
  if (exitCode !== null && (exitCode === 0) !== isDone) counts['wrongly reported'] += 1
}

function randomFaults() {
  const slow = { match: { path: '/api/upload' }, times: null, action: { type: 'delay', ms: 20 } }
  const struck = Array.from({ length: FAULTS }, () => ({
    match: { path: '/api/upload', nth: Math.ceil(between(0, 20)) },
    times: 1,
    action: oneOf([page, page, cut, cut, empty, reset]),
  }))
  return [...struck, slow]
}

/** Stops a process for so many milliseconds. */
function stopFor(afterMs, ms) {
  return (child) => {
    const signal = (name) => child.exitCode === null && child.kill(name)
    const timers = [setTimeout(() => signal('SIGSTOP'), afterMs), setTimeout(() => signal('SIGCONT'), afterMs + ms)]
    return () => timers.forEach(clearTimeout)
  }
}
