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

/** The ledger, as in the JSON output. Times are ISO 8601; null is unknown. */
export type QuotaView = ReturnType<typeof toQuotaView>

/** @param uploads pairs of a count of uploads and the time when they are done, in epoch milliseconds */
export function toQuotaView(
  { at, windows, hold }: QuotaReading,
  uploads: readonly (readonly [number, number | undefined])[],
) {
  const counted = Object.entries(windows).map(([name, window]) => [name, toWindowView(window, at)] as const)
  return {
    /** The windows that are counted, by name. */
    windows: Object.fromEntries(counted),
    /** A pause that holds all requests back, in addition to the windows; null if there is none. */
    hold: hold === undefined ? null : { ...hold, until: instant(hold.until, at), window: hold.window ?? null },
    /** When `count` more uploads, one after the other, would be done. */
    uploads: uploads.map(([count, doneAt]) => ({ count, done_at: instant(doneAt, at) })),
  }
}

function toWindowView({ limit, believed, used, remaining, fitsAt }: QuotaWindow, now: number) {
  return {
    /** In units, as are the next three; null where the service shows that the account has no quota. */
    limit,
    /** The lower limit that is assumed for a while after a refusal; null if there is none. */
    believed: believed === undefined ? null : { ...believed, until: instant(believed.until, now) },
    used,
    remaining,
    /** When this window has room for one call of each kind. */
    fits_at: {
      upload: instant(fitsAt.upload, now),
      delete: instant(fitsAt.delete, now),
      other: instant(fitsAt.other, now),
    },
  }
}

type WindowView = ReturnType<typeof toWindowView>

/** Times in the past become `now`. */
function instant(at: number | undefined, now: number): string | null {
  return at === undefined || !Number.isFinite(at) ? null : new Date(Math.max(at, now)).toISOString()
}
