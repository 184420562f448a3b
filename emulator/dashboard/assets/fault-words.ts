import type { FaultAction, FaultMatch } from '../../faults/fault.ts'
import type { ArmedFault } from '../../faults/fault-book.ts'

/** Which requests a fault strikes: `strikes the 1st POST /api/upload`. */
export function strikeWords({ match, times }: Pick<ArmedFault, 'match' | 'times'>): string {
  const from = match.nth ?? 1
  const requests = requestWords(match)
  if (times === null) return `strikes every ${requests}${from > 1 ? ` from the ${ordinal(from)} on` : ''}`
  const which = times === 1 ? ordinal(from) : `${ordinal(from)} to ${ordinal(from + times - 1)}`
  return `strikes the ${which} ${requests}`
}

/** How often it strikes still: `, 1 of 1 left`. */
export function leftWords({ times, struck }: Pick<ArmedFault, 'times' | 'struck'>): string {
  return times === null ? '' : `, ${Math.max(times - struck, 0)} of ${times} left`
}

function requestWords({ method, path, account_id: account }: FaultMatch): string {
  const request = [method?.toUpperCase(), path].filter((part) => part !== undefined).join(' ')
  const what = path === undefined ? `${request} API request`.trim() : request
  return account === undefined ? what : `${what} of account ${account}`
}

/** The most of a parameter that a line shows, in characters. */
const mostShown = 60

/** A fault's type with its parameters: `status 503, headers {"Retry-After":"5"}`, `delay: ms 250`. */
export function actionWords({ type, ...parameters }: FaultAction): string {
  const words = Object.entries(parameters).map(([name, value]) => `${name} ${shortened(JSON.stringify(value) ?? '')}`)
  if (words.length === 0) return type
  // The type `status` has a parameter of its name.
  return words[0]?.startsWith(`${type} `) ? words.join(', ') : `${type}: ${words.join(', ')}`
}

function shortened(text: string): string {
  const characters = [...text.slice(0, 4 * mostShown)]
  return characters.length > mostShown ? `${characters.slice(0, mostShown).join('')}…` : text
}

export function ordinal(count: number): string {
  const ending = /1[123]$/.test(`${count}`) ? 'th' : (endings[count % 10] ?? 'th')
  return `${count}${ending}`
}

const endings: Readonly<Record<number, string>> = { 1: 'st', 2: 'nd', 3: 'rd' }
