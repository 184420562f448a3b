import type { QuotaWindow } from '../../index.ts'
import type { QuotaReading } from '../../pacing/shared/shared-ledger.ts'
import { counted } from '../../protocol/quantities.ts'
import { formatClockTime, formatDuration } from '../format/format.ts'
import type { Palette } from './terminal/terminal.ts'
import { alignColumns } from './terminal/terminal-text.ts'

const titles = ['WINDOW', 'USED', 'LIMIT', 'LEFT', 'NEXT UPLOAD']
/** The columns of numbers, counted from 0. */
const unitColumns = [1, 2, 3]

export function quotaLines({ windows, hold, uploads }: QuotaView, now: number, { faint }: Palette): readonly string[] {
  const rows = Object.entries(windows).map(([name, window]) => {
    const { used, remaining, fits_at } = window
    return [name, inUnits(used), limitText(window, now), inUnits(remaining), nextUpload(fits_at.upload, now)]
  })
  const [heading = '', ...table] = alignColumns([titles, ...rows], { right: unitColumns })
  const holds = hold === null ? [] : [holdLine(hold, now)]
  if (rows.length === 0) return [...holds, 'No quota window has a limit']
  return [
    faint(heading),
    ...table,
    ...holds,
    ...uploads.map(({ count, done_at: at }) => `${counted(count, 'more upload')} ${doneText(at, now)}`),
  ]
}

function doneText(at: string | null, now: number): string {
  if (at === null) return 'cannot be forecast'
  return `would be done by ${formatClockTime(Date.parse(at), now, { seconds: true })}`
}

function limitText({ limit, believed }: WindowView, now: number): string {
  if (believed === null) return inUnits(limit)
  const until = believed.until === null ? '' : ` until ${formatClockTime(Date.parse(believed.until), now)}`
  return `${inUnits(limit)} (${inUnits(believed.limit)} assumed${until}, after a refusal)`
}

function inUnits(units: number | null): string {
  return units?.toLocaleString('en') ?? '-'
}

function nextUpload(at: string | null, now: number): string {
  if (at === null) return 'when requests in flight have ended'
  const ms = Date.parse(at) - now
  return ms < 1 ? 'now' : `in ${formatDuration(ms)}`
}

function holdLine({ until, window, source }: NonNullable<QuotaView['hold']>, now: number): string {
  const refused = `a request was refused for the ${window === null ? '' : `${window} `}quota`
  const reason = source === 'unavailable' ? 'the API is disabled' : refused
  const end = until === null ? 'until a request in flight has ended' : `for ${formatDuration(Date.parse(until) - now)}`
  return `Paused ${end}: ${reason}`
}

/** The ledger, as docs/schema/quota.json explains it. */
export type QuotaView = ReturnType<typeof toQuotaView>

type WindowView = QuotaView['windows'][string]

/** @param uploads pairs of a count of uploads and the time when they are done, in epoch milliseconds */
export function toQuotaView(
  { at: now, windows, hold }: QuotaReading,
  uploads: readonly (readonly [number, number | undefined])[],
) {
  const viewOf = ({ limit, believed, used, remaining, fitsAt }: QuotaWindow) => ({
    limit,
    believed: believed === undefined ? null : { ...believed, until: instant(believed.until, now) },
    used,
    remaining,
    fits_at: {
      upload: instant(fitsAt.upload, now),
      delete: instant(fitsAt.delete, now),
      other: instant(fitsAt.other, now),
    },
  })
  return {
    windows: Object.fromEntries(Object.entries(windows).map(([name, window]) => [name, viewOf(window)] as const)),
    hold: hold === undefined ? null : { ...hold, until: instant(hold.until, now), window: hold.window ?? null },
    uploads: uploads.map(([count, doneAt]) => ({ count, done_at: instant(doneAt, now) })),
  }
}

/** Times in the past become `now`; null is unknown. */
function instant(at: number | undefined, now: number): string | null {
  return at === undefined || !Number.isFinite(at) ? null : new Date(Math.max(at, now)).toISOString()
}
