import { formatByteSize } from '../byte-size.ts'
import type { CliEvent, ItemRecord } from '../events.ts'
import { printable } from '../format.ts'
import { subjectName } from '../records.ts'

type Finished = Extract<CliEvent, { type: 'item-finished' }>

/** Holds finished items back until all before them are finished too, so that links come in the order of the arguments. */
export function createOrderedLinks(print: (link: string) => void): (event: Finished) => void {
  const waiting = new Map<number, string | null>()
  let next = 0
  return ({ index, link }) => {
    waiting.set(index, link)
    for (; waiting.has(next); next += 1) {
      const ready = waiting.get(next)
      waiting.delete(next)
      if (ready) print(ready)
    }
  }
}

/** One line about one finished item. */
export function progressLine({ subject, status, upload, error }: ItemRecord): string {
  const name = printable(subjectName(subject))
  if (status === 'skipped' && error !== null) return `not started ${name}`
  if (status === 'skipped' && upload !== null) return `would delete ${name} (${details(upload)})`
  if (status === 'uploaded' && upload !== null) return `uploaded ${name} (${formatByteSize(upload.size)})`
  return `${status} ${name}`
}

function details({ mime_type, size }: NonNullable<ItemRecord['upload']>): string {
  return `${printable(mime_type)}, ${formatByteSize(size)}`
}

/** `2 uploaded, 1 failed`, the good news first. */
export function summaryLine(records: readonly ItemRecord[]): string {
  const counts = new Map<string, number>()
  for (const { status, error } of records) {
    const word =
      status === 'skipped' && error !== null ? 'not started' : status === 'unknown' ? 'of unknown outcome' : status
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const order = ['uploaded', 'deleted', 'skipped', 'not started', 'of unknown outcome', 'failed']
  return order.flatMap((word) => (counts.has(word) ? [`${counts.get(word)} ${word}`] : [])).join(', ')
}
