import { alignColumns } from '../terminal/align-columns.ts'
import { formatClockTime } from '../words/clock-time.ts'
import { formatDuration } from '../words/duration.ts'
import { counted } from '../words/format.ts'
import type { HoldView, QuotaView, WindowView } from '../words/quota-view.ts'

/** The local ledger as people read it. */
export function quotaLines({ windows, hold, uploads }: QuotaView, now: number): readonly string[] {
  const rows = Object.entries(windows).map(([name, window]) => windowRow(name, window, now))
  const table = rows.length === 0 ? [] : alignColumns([['WINDOW', 'USED', 'LIMIT', 'LEFT', 'NEXT UPLOAD'], ...rows])
  const holds = hold === null ? [] : [holdLine(hold, now)]
  if (rows.length === 0) return [...holds, 'Nothing is counted: no window has a limit']
  const through = uploads.map(({ count, done_at }) => `${counted(count, 'more upload')} ${whenDone(done_at, now)}`)
  return [...table, ...holds, ...through]
}

function windowRow(name: string, { limit, used, remaining, fits_at }: WindowView, now: number): readonly string[] {
  return [
    name,
    ...[used, limit, remaining].map((units) => units?.toLocaleString('en') ?? '-'),
    fitsIn(fits_at.upload, now),
  ]
}

function fitsIn(at: string | null, now: number): string {
  if (at === null) return 'when what is under way has ended'
  const ms = Date.parse(at) - now
  return ms < 1 ? 'now' : `in ${formatDuration(ms)}`
}

function holdLine({ until, window, source }: HoldView, now: number): string {
  const refused = `the ${window ?? 'quota'} was refused${source === 'guess' ? ', for how long is a guess' : ''}`
  const reason = source === 'unavailable' ? 'the service is switched off' : refused
  return until === null
    ? `Held back until a request under way has shown whether it is over: ${reason}`
    : `Held back for ${formatDuration(Date.parse(until) - now)}: ${reason}`
}

function whenDone(at: string | null, now: number): string {
  if (at === null) return 'cannot be foreseen'
  return `would be through ${formatClockTime(Date.parse(at), now, { seconds: true })}`
}
