import type { QuotaHold, QuotaReading } from '../../../internal.ts'

/** What the local ledger says, as programs read it. Instants are ISO 8601; null is one that nobody can foresee. */
export interface QuotaView {
  /** By name, those with a limit; empty where nothing is counted. */
  readonly windows: Readonly<Record<string, WindowView>>
  /** What keeps every request back beside the count; null where nothing does. */
  readonly hold: HoldView | null
  /** When so many more uploads, one after the other, are done. */
  readonly uploads: readonly { readonly count: number; readonly done_at: string | null }[]
}

export interface WindowView {
  /** In units, as are the next three. */
  readonly limit: number | null
  /** What is believed in place of the limit, until more is; null where the limit is. */
  readonly believed: { readonly limit: number; readonly until: string | null; readonly reason: 'refusal' } | null
  readonly used: number
  readonly remaining: number | null
  /** When one call of the kind fits, as far as this window goes. */
  readonly fits_at: { readonly upload: string | null; readonly delete: string | null; readonly other: string | null }
}

export interface HoldView {
  readonly until: string | null
  readonly window: string | null
  readonly source: QuotaHold['source']
}

/** @param uploads how many, and when they are done in epoch milliseconds */
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

/** What could have been done before can be done now. */
function instant(at: number | undefined, now: number): string | null {
  return at === undefined || !Number.isFinite(at) ? null : new Date(Math.max(at, now)).toISOString()
}
