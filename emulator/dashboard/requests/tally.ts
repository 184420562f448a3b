import type { ListFilter } from './filter.ts'

interface Tally {
  readonly matched: number
  readonly kept: number
  readonly dropped: number
}

/** How many requests the list is about, in words. */
export function tallyText({ matched, kept, dropped }: Tally, { isSet }: Pick<ListFilter, 'isSet'>): string {
  const all = isSet ? `${number(matched)} of ${number(kept)}` : number(kept)
  const lost = dropped === 0 ? '' : `, ${number(dropped)} older ones dropped`
  return `${all} ${kept === 1 ? 'request' : 'requests'}${lost}`
}

function number(value: number): string {
  return value.toLocaleString('en')
}
