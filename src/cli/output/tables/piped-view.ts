import { uploadFields } from '../fields.ts'
import { planLines } from '../plan-text.ts'
import { type AccountView, rawCell, statsRow } from './account-view.ts'

/** For pipes: one line per item, values separated by tabs and as the service sent them. */
export function createPipedView(print: (line: string) => void, fields: readonly string[] | undefined): AccountView {
  const printPairs = (values: object, names: readonly string[]) => {
    for (const name of names) print(`${name}\t${rawCell(values, name)}`)
  }
  return {
    list: (upload) => print((fields ?? ['slug', 'url']).map((field) => rawCell(upload, field)).join('\t')),
    endList() {},
    show: (upload) => printPairs(upload, fields ?? uploadFields),
    stats(stats, quota) {
      const row = statsRow(stats, quota, fields)
      for (const name of Object.keys(row)) print(`${name}\t${rawCell(row, name) || '-'}`)
    },
    plan: (plan, now) => planLines(plan, now).forEach(print),
  }
}
