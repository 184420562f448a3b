import { aText } from '../../checks/values.ts'

/** What the scripts themselves write into a log. */
export const logMarks = {
  /** This runner was not heard of for long: what it held is over. */
  gone: { runner: aText },
  /** Redis had lost the log, or had none yet. */
  epoch: {},
}

/** A line, and when it was written, in epoch milliseconds by the fleet's time. */
export interface Dated<Line> {
  readonly at: number
  readonly line: Line
}

/** Undefined for a line of another version. @param at its date, in epoch milliseconds */
export type ParseLine<Line> = (text: string, at: number) => Dated<Line> | undefined

/** What the lines of one log of a fleet are, and which of them still matter. Times are the fleet's. */
export interface LogForm<Line> {
  /** As the scripts name it. */
  readonly log: 'quota' | 'contents'
  readonly parse: ParseLine<Line>
  /** Two lines of one name say the same. */
  name(line: Dated<Line>): string
  /** Whether the dates of lines decide what they mean; else their places in the log do. */
  readonly isByDate: boolean
  /** A log of more entries is compacted. */
  readonly compactFrom: number
  /** So is one that begins longer ago. */
  readonly keptMs: number
  compact(lines: readonly Dated<Line>[], now: number): Compacted<Line>
  /** The lines that a runner holds and the log has lost. */
  missing(log: readonly Dated<Line>[], held: readonly Dated<Line>[], now: number): readonly Dated<Line>[]
}

interface Compacted<Line> {
  readonly lines: readonly Dated<Line>[]
  /** What the lines leave out, as compact.lua takes it: a number of slugs, these, and four texts for each upload. */
  readonly record: readonly string[]
}

/** All lines of a log that a runner holds, each once. */
export function createHistory<Line>({ name: nameOf, isByDate }: Pick<LogForm<Line>, 'name' | 'isByDate'>) {
  let lines: Dated<Line>[] = []
  let names = new Set<string>()
  const inOrder = (all: readonly Dated<Line>[]) => (isByDate ? [...all].sort((a, b) => a.at - b.at) : [...all])

  return {
    lines: (): readonly Dated<Line>[] => lines,
    inOrder,
    /**
     * Adds lines that are not there yet.
     * @returns those that were added; `isLater` if all of them come after all others
     */
    add(more: readonly Dated<Line>[]): { readonly added: readonly Dated<Line>[]; readonly isLater: boolean } {
      const added: Dated<Line>[] = []
      for (const line of more) {
        const name = nameOf(line)
        if (names.has(name)) continue
        names.add(name)
        added.push(line)
      }
      const newest = lines.at(-1)?.at ?? Number.NEGATIVE_INFINITY
      const isLater = !isByDate || added.every(({ at }, index) => at >= (added[index - 1]?.at ?? newest))
      lines.push(...added)
      if (!isLater) lines = inOrder(lines)
      return { added, isLater }
    },
    replace(all: readonly Dated<Line>[]): void {
      lines = inOrder(all)
      names = new Set(lines.map(nameOf))
    },
  }
}
