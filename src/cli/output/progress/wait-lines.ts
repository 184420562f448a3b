import type { ClientEvent } from '../../../index.ts'
import { formatClockTime } from '../format/clock-time.ts'
import { formatDuration } from '../format/duration.ts'

type Wait = Extract<ClientEvent, { type: 'wait' }>

/** A wait gets a line only if it is at least this long, and ends at least this much later than the last one printed. */
const SHORTEST_REPORTED_MS = 2_000
/** For longer waits, the time is shown without seconds. */
const SECONDS_UP_TO_MS = 600_000

/** Prints a line for each wait, once for all requests that wait for the same window. */
export function createWaitLines(now: () => number, say: (line: string) => void): (wait: Wait) => void {
  let reportedUntil = Number.NEGATIVE_INFINITY
  return (wait) => {
    const at = now()
    const until = at + wait.delayMs
    if (wait.delayMs < SHORTEST_REPORTED_MS || until < reportedUntil + SHORTEST_REPORTED_MS) return
    reportedUntil = until
    say(waitLine(wait, at))
  }
}

const sources: Readonly<Record<Exclude<Wait['source'], 'unavailable'>, string>> = {
  ledger: ' (local count)',
  'retry-after': ', after a refusal',
  guess: ' (estimated; no Retry-After was sent)',
}

function waitLine({ delayMs, window, source }: Wait, now: number): string {
  const clock = formatClockTime(now + delayMs, now, { seconds: delayMs < SECONDS_UP_TO_MS })
  const delay = formatDuration(delayMs)
  if (source === 'unavailable') return `Waiting ${delay}, until ${clock}: the API is disabled (503)`
  const quota = window === undefined ? 'quota' : `${window} quota`
  return `Waiting ${delay} for the ${quota}, until ${clock}${sources[source]}`
}
