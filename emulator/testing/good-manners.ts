import { counted } from '../../src/protocol/quantities.ts'
import type { EtiquetteFinding, EtiquetteReport } from '../control/etiquette-report.ts'

/** Requests named of each finding. */
const mostNamed = 3

/**
 * Fails a strict test.
 * @throws Error with what the report found, what it cost and what to do about it
 */
export function expectGoodManners({ clean, findings }: EtiquetteReport): void {
  if (clean) return
  throw new Error(`The account of this strict test was used badly:\n${findings.map(findingText).join('\n')}`)
}

function findingText({ kind, count, units, advice, requests }: EtiquetteFinding): string {
  const named = requests.slice(0, mostNamed).map(({ at, method, endpoint, status }) => {
    return `    ${at} ${method} ${endpoint} was answered ${status}`
  })
  const more = count > named.length ? [`    and ${count - named.length} more`] : []
  const cost = `${counted(count, 'request')}, ${counted(units, 'unit')}`
  return [`- ${kind} (${cost}). ${advice}:`, ...named, ...more].join('\n')
}
