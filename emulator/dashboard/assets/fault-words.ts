import type { FaultAction, FaultMatch } from '../../faults/fault.ts'
import type { ArmedFault } from '../../faults/fault-book.ts'

/** Which requests a fault strikes, and how often still: `strikes the 1st POST /api/upload, 1 of 1 left`. */
export function strikeWords({ match, times, struck }: ArmedFault): string {
  const from = match.nth ?? 1
  const requests = requestWords(match)
  if (times === null) return `strikes every ${requests}${from > 1 ? ` from the ${ordinal(from)} on` : ''}`
  const which = times === 1 ? ordinal(from) : `${ordinal(from)} to ${ordinal(from + times - 1)}`
  return `strikes the ${which} ${requests}, ${Math.max(times - struck, 0)} of ${times} left`
}

function requestWords({ method, path, account_id: account }: FaultMatch): string {
  const request = [method?.toUpperCase(), path].filter((part) => part !== undefined).join(' ')
  const what = path === undefined ? `${request} API request`.trim() : request
  return account === undefined ? what : `${what} of account ${account}`
}

/** The most of a parameter that a line shows, in characters. */
const mostShown = 60

/** A fault's type with its parameters: `status: status 503, headers {"Retry-After":"5"}`. */
export function actionWords({ type, ...parameters }: FaultAction): string {
  const words = Object.entries(parameters).map(([name, value]) => `${name} ${shortened(JSON.stringify(value) ?? '')}`)
  return words.length === 0 ? type : `${type}: ${words.join(', ')}`
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
