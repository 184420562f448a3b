import { invalidValue } from '../../src/checks/coded-error.ts'
import { isObject } from '../../src/checks/json.ts'
import { quoted } from '../../src/checks/quoted.ts'
import type { KindsOf } from '../../src/checks/values.ts'
import { httpToken } from '../http-types.ts'
import { type Codec, orNull } from '../values/codec.ts'
import { readFields } from '../values/reading.ts'
import { nonEmptyText, numberWithin, pathPattern, valueType, wholeNumber } from '../values/value-type.ts'
import { isWritable, mostLevels } from '../values/writable-json.ts'
import {
  type AnswerInstead,
  type Fault,
  type FaultAction,
  type FaultMatch,
  type FaultType,
  faultTypes,
  namesSite,
} from './fault.ts'

/** A fault as a caller gives it: without `match` it matches every request; `times` defaults to 1. */
export interface GivenFault {
  readonly match?: FaultMatch | undefined
  readonly times?: number | null | undefined
  readonly action: FaultAction
}

/** One day: longer than any client waits, and short enough to keep the clock in its range. */
const maxDelayMs = 86_400_000

const fromOne = wholeNumber({ from: 1 })

const matchFields = {
  account_id: fromOne,
  method: nonEmptyText,
  path: pathPattern,
  nth: fromOne,
} satisfies KindsOf<FaultMatch>

const times = orNull(fromOne, 'for every time')

const givenFields = {
  match: objectField<FaultMatch>('an object with any of account_id, method, path, nth'),
  times,
  action: objectField<FaultAction>('an object with a type and its parameters'),
} satisfies KindsOf<GivenFault>

type Parameters = Partial<AnswerInstead> & { readonly ms?: number; readonly bytes?: number }

const parameterFields = {
  status: wholeNumber({ from: 200, to: 599 }),
  body: valueType<unknown>(`JSON of at most ${mostLevels} levels`, {}, (found) =>
    isWritable(found) ? found : undefined,
  ),
  headers: valueType<Readonly<Record<string, string>>>(
    'an object of header names and texts, Content-Length, Transfer-Encoding and Trailer excepted',
    {},
    (found) => (isHeaders(found) ? found : undefined),
  ),
  ms: numberWithin(`milliseconds from 0 to ${maxDelayMs}`, { from: 0, to: maxDelayMs }),
  bytes: valueType<number>('a whole number', {}, (found) => (Number.isSafeInteger(found) ? Number(found) : undefined)),
} satisfies KindsOf<Parameters>

/** @throws TypeError naming the fault, the field and what the field takes */
export function parseFaults(given: readonly GivenFault[]): readonly Fault[] {
  if (!Array.isArray(given)) throw invalidValue('Faults are a list of objects with match, times and action')
  return given.map((fault, at) => withPlace(`Fault ${at + 1} of ${given.length}`, () => parseFault(fault)))
}

/** @throws TypeError naming the field and what it takes */
export function parseFault(given: GivenFault): Fault {
  const { match = {}, times = 1, action } = readFields(given, givenFields)
  if (action === undefined) throw invalidValue(`The field action is missing; it takes ${givenFields.action.accepts}`)
  const fault = {
    match: withPlace('match', () => readFields(match, matchFields)),
    times,
    action: withPlace('action', () => parseAction(action)),
  }
  if (fault.action.type === 'malformed_json' && namesSite(fault.match.path)) {
    throw invalidValue('The type malformed_json acts on JSON, but the pages and files of the website have none')
  }
  return fault
}

function parseAction({ type, ...given }: FaultAction): FaultAction {
  if (!isFaultType(type)) {
    const types = Object.keys(faultTypes).join(', ')
    throw invalidValue(`There is no type ${quoted(type)}; there are ${types}`)
  }
  const { required, optional } = faultTypes[type]
  const names = [...required, ...optional]
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const there = names.length === 0 ? 'it has none' : `there are ${names.join(', ')}`
    throw invalidValue(`The type ${type} has no parameter ${quoted(unknown)}; ${there}`)
  }
  const parameters: Parameters = readFields(given, parameterFields)
  const missing = required.find((name) => Reflect.get(parameters, name) === undefined)
  if (missing !== undefined) throw invalidValue(`The type ${type} needs the parameter ${missing}`)
  checkBytes(type, parameters.bytes)
  return { type, ...parameters } as FaultAction
}

/** @throws TypeError if the type takes other numbers of bytes */
export function checkBytes(type: FaultType, bytes: number | undefined): void {
  if (bytes === undefined) return
  const got = `but got ${bytes}`
  if (type === 'wrong_content_length') {
    if (bytes === 0) throw invalidValue(`The parameter bytes of ${type} takes a whole number other than 0, ${got}`)
    return
  }
  const least = type === 'slow_body' ? 1 : 0
  if (bytes < least) throw invalidValue(`The parameter bytes of ${type} takes a whole number from ${least} up, ${got}`)
}

export function isFaultType(type: unknown): type is FaultType {
  return typeof type === 'string' && Object.hasOwn(faultTypes, type)
}

/** Names and values that Node accepts; headers that frame the body are excluded. */
function isHeaders(value: unknown): value is Readonly<Record<string, string>> {
  if (!isObject(value)) return false
  return Object.entries(value).every(
    ([name, content]) =>
      httpToken.test(name) &&
      !/^(content-length|transfer-encoding|trailer)$/i.test(name) &&
      typeof content === 'string' &&
      /^[\t\x20-\x7e\x80-\xff]*$/.test(content),
  )
}

function objectField<Value>(accepts: string): Codec<Value> {
  return valueType(accepts, {}, (found) => (isObject(found) ? (found as Value) : undefined))
}

/** Adds the place to the error message. */
function withPlace<Result>(place: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw error instanceof TypeError ? invalidValue(`${place}: ${error.message}`, error) : error
  }
}
