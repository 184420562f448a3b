import type { Stats } from '../../../index.ts'
import { printable } from '../../format/format.ts'
import type { CliEvent, QuotaReport } from '../events.ts'
import { type NamedUpload, uploadFields } from '../fields.ts'
import type { Palette, TerminalTraits } from '../terminal/terminal.ts'

export interface TerminalViewOptions {
  readonly print: (line: string) => void
  readonly fields: readonly string[] | undefined
  readonly palette: Palette
  readonly traits: TerminalTraits
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** A field as the service sent it, safe to print; empty for null. */
export function rawCell(values: object, field: string): string {
  const value = (values as Readonly<Record<string, unknown>>)[field]
  if (value === null || value === undefined) return ''
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** Statistics and quota as one record; `fields` selects from it, where `stats` and `quota` select all their values. */
export function statsRow(
  stats: Stats,
  quota: QuotaReport,
  fields: readonly string[] | undefined,
): Readonly<Record<string, unknown>> {
  const quotaRow = Object.fromEntries(Object.entries(quota).map(([name, value]) => [`quota_${name}`, value]))
  const row: Readonly<Record<string, unknown>> = { ...stats, ...quotaRow }
  if (fields === undefined) return row
  const names = fields.flatMap((field) => {
    if (field === 'stats') return Object.keys(stats)
    if (field === 'quota') return Object.keys(quotaRow)
    return Object.hasOwn(quota, field) ? [`quota_${field}`] : [field]
  })
  return Object.fromEntries(names.map((name) => [name, row[name]]))
}

/** For pipes: one line per item, values separated by tabs and as the service sent them. */
export function createPipedView(print: (line: string) => void, fields: readonly string[] | undefined) {
  const printPairs = (values: object, names: readonly string[]) => {
    for (const name of names) print(`${name}\t${rawCell(values, name)}`)
  }
  return {
    list: (upload: NamedUpload) => print((fields ?? ['slug', 'url']).map((field) => rawCell(upload, field)).join('\t')),
    endList() {},
    show: (upload: NamedUpload) => printPairs(upload, fields ?? uploadFields),
    stats(stats: Stats, quota: QuotaReport) {
      const row = statsRow(stats, quota, fields)
      for (const name of Object.keys(row)) print(`${name}\t${rawCell(row, name) || '-'}`)
    },
    plan: (lines: Extract<CliEvent, { type: 'plan-shown' }>['lines']) => lines().forEach(print),
  }
}

export type AccountView = ReturnType<typeof createPipedView>
