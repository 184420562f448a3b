import { writerOf } from '../../log/log.ts'
import type { LedgerLine } from '../quota-log/ledger-line.ts'
import type { DatedLine } from './fleet-line.ts'

type Settle = Extract<LedgerLine, { type: 'settle' }>

/**
 * The lines of a fleet as those of a ledger: a runner that is gone ends its requests, and what was to be forgotten is left
 * out. A request may end before its reservation arrives, when a slow reservation was given up: then it never counted.
 *
 * @param lines sorted by date
 * @param translate knows afterwards what is in flight
 */
export function toLedgerLines(lines: readonly DatedLine[], translate = createTranslator()): readonly LedgerLine[] {
  const translated = lines.flatMap(translate)
  const unlearned = lines.findLast(({ line }) => line.type === 'unlearn')?.at ?? Number.NEGATIVE_INFINITY
  return translated.map((line) => (line.type === 'settle' ? forgetting(line, unlearned) : line))
}

/** Charged, and nothing more is known of it. */
function forgetting(line: Settle, unlearned: number): Settle {
  const { outcome } = line
  if (outcome.type !== 'answered' || outcome.at > unlearned) return line
  return { ...line, outcome: { type: 'unanswered', at: outcome.at } }
}

/** @returns what to deliver to a ledger's fold for each line, in the order of dates */
export function createTranslator() {
  const inFlight = new Set<string>()
  const ended = new Set<string>()
  const places = new Set<string>()

  function end(id: string): void {
    inFlight.delete(id)
    places.delete(id)
    ended.add(id)
  }

  const ofRunner = (ids: ReadonlySet<string>, runner: string) => [...ids].filter((id) => writerOf(id) === runner)

  return ({ line, at }: DatedLine): readonly LedgerLine[] => {
    switch (line.type) {
      case 'reserve':
        if (ended.has(line.id) || inFlight.has(line.id)) return []
        inFlight.add(line.id)
        return [line]
      case 'place':
        if (ended.has(line.id)) return []
        places.add(line.id)
        return [line]
      case 'settle':
      case 'cancel':
        if (ended.has(line.id)) return []
        end(line.id)
        return [line]
      case 'gone': {
        const left = ofRunner(inFlight, line.runner)
        const empty = ofRunner(places, line.runner)
        for (const id of [...left, ...empty]) end(id)
        const charged = left.map((id) => ({ type: 'settle', id, outcome: { type: 'unanswered', at } }) as const)
        return [...charged, ...empty.map((id) => ({ type: 'cancel', id }) as const)]
      }
      default:
        return []
    }
  }
}
