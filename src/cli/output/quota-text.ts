import type { QuotaWindow } from '../../index.ts'
import type { QuotaReading } from '../../pacing/shared/shared-ledger.ts'
import { counted } from '../../protocol/quantities.ts'
import { formatClockTime, formatDuration } from '../format/format.ts'
import type { Palette } from './terminal/terminal.ts'
import { alignColumns } from './terminal/terminal-text.ts'

const titles = ['WINDOW', 'USED', 'LIMIT', 'LEFT', 'NEXT UPLOAD']
const unitColumns = [1, 2, 3]

export function quotaLines({ windows, hold, uploads }: QuotaView, now: number, { faint }: Palette): readonly string[] {
  const inMs = (at: string) => Date.parse(at) - now
  const clockTime = (at: string, seconds = false) => formatClockTime(Date.parse(at), now, { seconds })
  const inUnits = (units: number | null) => units?.toLocaleString('en') ?? '-'
  const rows = Object.entries(windows).map(([name, { used, limit, believed, remaining, fits_at }]) => {
    const until = believed?.until ? ` until ${clockTime(believed.until)}` : ''
    const assumed = believed ? ` (${inUnits(believed.limit)} assumed${until}, after a refusal)` : ''
    const { upload: at } = fits_at
    const wait = at && (inMs(at) < 1 ? 'now' : `in ${formatDuration(inMs(at))}`)
    const next = wait ?? 'when requests in flight have ended'
    return [name, inUnits(used), `${inUnits(limit)}${assumed}`, inUnits(remaining), next]
  })
  const end = hold?.until ? `for ${formatDuration(inMs(hold.until))}` : 'until a request in flight has ended'
  const refused = `a request was refused for the ${hold?.window ? `${hold.window} ` : ''}quota`
  const why = hold?.source === 'unavailable' ? 'the API is disabled' : refused
  const holds = hold === null ? [] : [`Paused ${end}: ${why}`]
  if (rows.length === 0) return [...holds, 'No quota window has a limit']
  const [heading = '', ...table] = alignColumns([titles, ...rows], unitColumns)
  const forecasts = uploads.map(({ count, done_at: at }) => {
    const done = at === null ? 'cannot be forecast' : `would be done by ${clockTime(at, true)}`
    return `${counted(count, 'more upload')} ${done}`
  })
  return [faint(heading), ...table, ...holds, ...forecasts]
}

/** The ledger, as docs/schema/quota.json explains it. */
export type QuotaView = ReturnType<typeof toQuotaView>

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
