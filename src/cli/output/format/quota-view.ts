import type { QuotaHold, QuotaReading } from '../../../internal.ts'

/** The local ledger, as in the JSON output. Times are ISO 8601; null is unknown. */
export interface QuotaView {
  /** The windows with a limit, by name. */
  readonly windows: Readonly<Record<string, WindowView>>
  /** A pause that holds all requests back, in addition to the windows; null if there is none. */
  readonly hold: HoldView | null
  /** When `count` more uploads, one after the other, would be done. */
  readonly uploads: readonly { readonly count: number; readonly done_at: string | null }[]
}

export interface WindowView {
  /** In units, as are the next three. */
  readonly limit: number | null
  /** The lower limit that is assumed for a while after a refusal; null if there is none. */
  readonly believed: { readonly limit: number; readonly until: string | null; readonly reason: 'refusal' } | null
  readonly used: number
  readonly remaining: number | null
  /** When this window has room for one call of each kind. */
  readonly fits_at: { readonly upload: string | null; readonly delete: string | null; readonly other: string | null }
}

export interface HoldView {
  readonly until: string | null
  readonly window: string | null
  readonly source: QuotaHold['source']
}

/** @param uploads pairs of a count of uploads and the time when they are done, in epoch milliseconds */
export function toQuotaView(
  reading: QuotaReading,
  uploads: readonly (readonly [number, number | undefined])[],
): QuotaView {
  const windows = Object.entries(reading.windows).map(
    ([name, { limit, believed: belief, used, remaining, fitsAt }]) => {
      const fits_at = {
        upload: instant(fitsAt.upload, reading.at),
        delete: instant(fitsAt.delete, reading.at),
        other: instant(fitsAt.other, reading.at),
      }
      const believed = belief === undefined ? null : { ...belief, until: instant(belief.until, reading.at) }
      return [name, { limit, believed, used, remaining, fits_at }] as const
    },
  )
  const { hold } = reading
  return {
    windows: Object.fromEntries(windows),
    hold: hold === undefined ? null : { ...hold, until: instant(hold.until, reading.at), window: hold.window ?? null },
    uploads: uploads.map(([count, doneAt]) => ({ count, done_at: instant(doneAt, reading.at) })),
  }
}

/** Times in the past become `now`. */
function instant(at: number | undefined, now: number): string | null {
  return at === undefined || !Number.isFinite(at) ? null : new Date(Math.max(at, now)).toISOString()
}
