import { invalidValue } from '../../src/checks/coded-error.ts'
import { isObject, isTooDeep } from '../../src/checks/json.ts'
import { anObjectBy, type KindsOf, kindBy, someFields } from '../../src/checks/values.ts'
import { httpToken } from '../http.ts'
import { orNull } from '../values/codec.ts'
import { readFields } from '../values/reading.ts'
import { nonEmptyText, numberWithin, pathPattern, text, wholeNumber } from '../values/value-type.ts'
import { type Fault, type FaultAction, type FaultMatch, type FaultType, faultTypes } from './fault.ts'

/** A fault as a caller gives it: without `match` it matches every request; `times` defaults to 1. */
export interface GivenFault {
  readonly match?: FaultMatch | undefined
  readonly times?: number | null | undefined
  readonly action: FaultAction
}

/** One day: longer than any client waits, and short enough to keep the clock in its range. */
const maxDelayMs = 86_400_000

const fromOne = wholeNumber({ from: 1 })

const match = someFields({
  account_id: fromOne,
  method: nonEmptyText,
  path: pathPattern,
  nth: fromOne,
} satisfies KindsOf<FaultMatch>)

/** The deepest nesting accepted in JSON from outside. */
export const mostLevels = 100

/** The parameters of a type; those of most types are of these kinds. */
const parameters = {
  status: wholeNumber({ from: 200, to: 599 }),
  body: kindBy(`JSON of at most ${mostLevels} levels`, isWritable),
  headers: kindBy(
    'an object of header names and texts, Content-Length, Transfer-Encoding and Trailer excepted',
    isHeaders,
  ),
  ms: numberWithin(`milliseconds from 0 to ${maxDelayMs}`, { from: 0, to: maxDelayMs }),
  bytes: wholeNumber(),
}
const otherParameters: Partial<Record<FaultType, object>> = {
  wrong_content_length: {
    bytes: kindBy('a whole number other than 0', (found) => Number.isSafeInteger(found) && found !== 0),
  },
  slow_body: { bytes: fromOne },
}

const actions = Object.entries(faultTypes).map(([type, { required, optional }]) => {
  const kinds = Object.entries({ ...parameters, ...otherParameters[type as FaultType] })
  const own = kinds.filter(([name]) => required.includes(name) || optional.includes(name))
  return [type, someFields({ type: text, ...Object.fromEntries(own) }, { required })] as const
})

const action = anObjectBy<object>('type', Object.fromEntries(actions))

/** The fields of a fault; snapshots have more. */
export const faultFields = { match, times: orNull(fromOne, 'for every time'), action } satisfies KindsOf<GivenFault>

/** @throws TypeError naming the fault, the field and what the field takes */
export function parseFaults(given: readonly GivenFault[]): readonly Fault[] {
  if (!Array.isArray(given)) throw invalidValue('Faults are a list of objects with match, times and action')
  return given.map((fault, at) => {
    try {
      return parseFault(fault)
    } catch (error) {
      throw invalidValue(`Fault ${at + 1} of ${given.length}: ${(error as Error).message}`, error)
    }
  })
}

/** @throws TypeError naming the field and what it takes */
export function parseFault(given: GivenFault): Fault {
  return completeFault(readFields(given, faultFields, ['action']))
}

/** What is left out matches every request, or strikes once. */
export function completeFault({ match = {}, times = 1, action }: ReadFault): Fault {
  return { match, times, action } as Fault
}

type ReadFault = { readonly [Name in keyof GivenFault]?: unknown }

/** Names and values that Node accepts; headers that frame the body are excluded. */
function isHeaders(value: unknown): boolean {
  if (!isObject(value)) return false
  return Object.entries(value).every(
    ([name, content]) =>
      httpToken.test(name) &&
      !/^(content-length|transfer-encoding|trailer)$/i.test(name) &&
      typeof content === 'string' &&
      /^[\t\x20-\x7e\x80-\xff]*$/.test(content),
  )
}

/** Whether a value can be written as JSON of at most {@link mostLevels}. */
function isWritable(value: unknown): boolean {
  try {
    const text = JSON.stringify(value)
    return text !== undefined && !isTooDeep(text, mostLevels)
  } catch {
    return false
  }
}
