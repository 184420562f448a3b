import type { Dated, ParseLine } from './history.ts'

/** When lines are appended: a merge only if nothing came meanwhile, a claim only once all have told what a loss took. */
export type AppendCondition = 'always' | 'unchanged' | 'settled' | 'never' | 'waits' | 'leave'

/** What scripts/sync.lua answers; undefined for an answer of another form. Entries that another version wrote are left out. */
export function parseLogAnswer<Line>(value: unknown, parse: ParseLine<Line>) {
  if (!Array.isArray(value) || value.length !== 11) return undefined
  const [now, epoch, since, last, runners, holds, isWhole, based, base, entries, recorded] = value
  if (!Array.isArray(entries) || !Array.isArray(recorded)) return undefined
  const rows = entries.flatMap((entry) => (Array.isArray(entry) ? [entry.map(String)] : []))
  return {
    /** The fleet's time in epoch milliseconds. */
    now: Number(now),
    epoch: String(epoch),
    /** When this epoch began. */
    since: Number(since),
    /** The newest entry. */
    last: String(last),
    runners: Number(runners),
    /** Whether the condition held. */
    holds: holds === 1,
    /** Whether this is the whole log, and not what is new. */
    isWhole: isWhole === 1,
    /** The entry up to which `base` stands for the log. */
    based: String(based),
    base: String(base ?? '')
      .split('\n')
      .flatMap((text) => parseDated(text, parse) ?? []),
    entries: rows.flatMap(([id = '', field, text = '']) => {
      const line = field === 'm' ? parseDated(text, parse) : parse(text, Number(id.split('-')[0]))
      return line ? [line] : []
    }),
    /** The number of the first entry. */
    firstNumber: rows[0]?.[0] === undefined ? undefined : Number(rows[0][0].split('-')[1]),
    /** What the record has in the fields that were asked for; '' for nothing. */
    recorded: recorded.map(String),
  }
}

export type LogAnswer<Line> = NonNullable<ReturnType<typeof parseLogAnswer<Line>>>

/** A line with its date, for an entry that is written later than the line was. */
export function formatDated({ at, line }: Dated<unknown>): string {
  return `${at} ${JSON.stringify(line)}`
}

function parseDated<Line>(text: string, parse: ParseLine<Line>): Dated<Line> | undefined {
  const end = text.indexOf(' ')
  const at = Number(text.slice(0, end))
  return end > 0 && Number.isFinite(at) ? parse(text.slice(end + 1), at) : undefined
}
