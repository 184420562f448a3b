import type { ClientEvent } from '../../../index.ts'
import { formatClockTime } from '../format/clock-time.ts'
import { formatDuration } from '../format/duration.ts'

type Wait = Extract<ClientEvent, { type: 'wait' }>

/** A wait shorter than this is not worth a line, nor is one that ends so little later than the one told of. */
const SHORTEST_WAIT_TOLD_MS = 2_000
/** So far ahead nobody waits for the second. */
const SECONDS_UP_TO_MS = 600_000

/** Tells of waits, each once, however many requests wait for the same. */
export function createWaitLines(now: () => number, say: (line: string) => void): (wait: Wait) => void {
  let toldUntil = Number.NEGATIVE_INFINITY
  return (wait) => {
    const at = now()
    const until = at + wait.delayMs
    if (wait.delayMs < SHORTEST_WAIT_TOLD_MS || until < toldUntil + SHORTEST_WAIT_TOLD_MS) return
    toldUntil = until
    say(waitLine(wait, at))
  }
}

const because: Readonly<Record<Exclude<Wait['source'], 'unavailable'>, string>> = {
  ledger: 'by the count of this machine',
  'retry-after': 'after a refusal',
  guess: 'a guess after a refusal that names no time',
}

function waitLine({ delayMs, window, source }: Wait, now: number): string {
  const clock = formatClockTime(now + delayMs, now, { seconds: delayMs < SECONDS_UP_TO_MS })
  const delay = formatDuration(delayMs)
  if (source === 'unavailable') return `Waiting ${delay}, until ${clock}: the service is switched off (503)`
  const quota = window === undefined ? 'quota' : `${window} quota`
  return `Waiting ${delay} for the ${quota}, until ${clock}, ${because[source]}`
}
