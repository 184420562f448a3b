import { type DatedLine, parseDated, parseLine } from './fleet-line.ts'

/** When lines are appended: a merge only if nothing came meanwhile. */
export type AppendCondition = 'always' | 'unchanged' | 'never' | 'leave'

/** What scripts/sync.lua answers. */
export interface LogAnswer {
  /** The fleet's time in epoch milliseconds. */
  readonly now: number
  readonly epoch: string
  /** When this epoch began. */
  readonly since: number
  /** The newest entry. */
  readonly last: string
  readonly runners: number
  /** Whether this is the whole log, and not what is new. */
  readonly isWhole: boolean
  /** The entry up to which `base` stands for the log. */
  readonly based: string
  readonly base: readonly DatedLine[]
  readonly entries: readonly DatedLine[]
  /** The number of the first entry. */
  readonly firstNumber: number | undefined
}

/** Undefined for an answer of another form. Entries that another version wrote are left out. */
export function parseLogAnswer(value: unknown): LogAnswer | undefined {
  if (!Array.isArray(value) || value.length !== 10) return undefined
  const [now, epoch, since, last, runners, , isWhole, based, base, entries] = value
  if (!Array.isArray(entries)) return undefined
  const rows = entries.flatMap((entry) => (Array.isArray(entry) ? [entry.map(String)] : []))
  return {
    now: Number(now),
    epoch: String(epoch),
    since: Number(since),
    last: String(last),
    runners: Number(runners),
    isWhole: isWhole === 1,
    based: String(based),
    base: linesOf(String(base ?? '')),
    entries: rows.flatMap(([id = '', field, text = '']) => {
      const line = field === 'm' ? parseDated(text) : parseLine(text, Number(id.split('-')[0]))
      return line ? [line] : []
    }),
    firstNumber: rows[0]?.[0] === undefined ? undefined : Number(rows[0][0].split('-')[1]),
  }
}

function linesOf(text: string): readonly DatedLine[] {
  return text === '' ? [] : text.split('\n').flatMap((line) => parseDated(line) ?? [])
}
