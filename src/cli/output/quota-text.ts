import { endpoints } from '../../index.ts'
import { formatClockTime } from './format/clock-time.ts'
import { formatDuration } from './format/duration.ts'
import { counted } from './format/format.ts'
import type { HoldView, QuotaView, WindowView } from './format/quota-view.ts'
import { alignColumns } from './tables/align-columns.ts'
import type { Palette } from './terminal/color.ts'

const titles = ['WINDOW', 'USED', 'LIMIT', 'LEFT', 'NEXT UPLOAD']
/** The columns of numbers, counted from 0. */
const unitColumns = [1, 2, 3]

/** The local ledger as text. */
export function quotaLines(
  { windows, hold, uploads }: QuotaView,
  now: number,
  { faint }: Pick<Palette, 'faint'>,
): readonly string[] {
  const rows = Object.entries(windows).map(([name, window]) => windowRow(name, window, now))
  const [heading = '', ...table] = alignColumns([titles, ...rows], { right: unitColumns })
  const holds = hold === null ? [] : [holdLine(hold, now)]
  if (rows.length === 0) return [...holds, 'No quota window has a limit']
  const through = uploads.map(({ count, done_at }) => `${counted(count, 'more upload')} ${whenDone(done_at, now)}`)
  return [faint(heading), ...table, ...holds, ...through]
}

function windowRow(name: string, window: WindowView, now: number): readonly string[] {
  const { used, remaining, fits_at } = window
  return [name, inUnits(used), limitText(window, now), inUnits(remaining), nextUpload(fits_at.upload, remaining, now)]
}

function limitText({ limit, believed }: WindowView, now: number): string {
  if (believed === null) return inUnits(limit)
  const until = believed.until === null ? '' : ` until ${formatClockTime(Date.parse(believed.until), now)}`
  return `${inUnits(limit)} (${inUnits(believed.limit)} assumed${until}, after a refusal)`
}

function inUnits(units: number | null): string {
  return units?.toLocaleString('en') ?? '-'
}

/** Although enough units are left, an upload may have to wait until the service's clock has freed them too. */
function nextUpload(at: string | null, remaining: number | null, now: number): string {
  if (at === null) return 'when requests in flight have ended'
  const ms = Date.parse(at) - now
  if (ms < 1) return 'now'
  const isLeft = remaining !== null && remaining >= endpoints.upload.cost
  return `in ${formatDuration(ms)}${isLeft ? '; the service may still count earlier units' : ''}`
}

function holdLine({ until, window, source }: HoldView, now: number): string {
  const refused = `the ${window ?? 'quota'} was refused${source === 'guess' ? ' (estimated; no Retry-After was sent)' : ''}`
  const reason = source === 'unavailable' ? 'the API is disabled' : refused
  return until === null
    ? `Paused until a request in flight shows whether the quota is free again: ${reason}`
    : `Paused for ${formatDuration(Date.parse(until) - now)}: ${reason}`
}

function whenDone(at: string | null, now: number): string {
  if (at === null) return 'cannot be forecast'
  return `would be done by ${formatClockTime(Date.parse(at), now, { seconds: true })}`
}
