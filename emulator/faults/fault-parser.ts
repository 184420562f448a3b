import { isWritable, mostLevels } from '../values/json-depth.ts'
import { type PatchField, type PatchFields, parsePatch } from '../values/patch.ts'
import { quoted } from '../values/quoted.ts'
import type { AnswerInstead, Fault, FaultAction, FaultMatch, FaultType } from './fault.ts'
import { faultTypes } from './fault-types.ts'

/** A fault as a caller gives it: without `match` it matches every request; `times` defaults to 1. */
export interface GivenFault {
  readonly match?: FaultMatch
  readonly times?: number | null
  readonly action: FaultAction
}

/** One day: longer than any client waits, and short enough to keep the clock in its range. */
const maxDelayMs = 86_400_000

const fromOne: PatchField<number> = {
  accepts: 'a whole number from 1 up',
  accept: (value): value is number => Number.isSafeInteger(value) && Number(value) >= 1,
}

const text: PatchField<string> = {
  accepts: 'text of at least one letter',
  accept: (value): value is string => typeof value === 'string' && value !== '',
}

const matchFields: PatchFields<FaultMatch> = { account_id: fromOne, method: text, path: text, nth: fromOne }

const faultFields: PatchFields<GivenFault> = {
  match: objectField('an object with any of account_id, method, path, nth'),
  times: {
    accepts: `${fromOne.accepts}, or null for every time`,
    accept: (value): value is number | null => value === null || fromOne.accept(value),
  },
  action: objectField('an object with a type and its parameters'),
}

type Parameters = Partial<AnswerInstead> & { readonly ms?: number; readonly bytes?: number }

const parameterFields: PatchFields<Parameters> = {
  status: {
    accepts: 'a whole number from 200 to 599',
    accept: (value): value is number => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599,
  },
  body: { accepts: `JSON of at most ${mostLevels} levels`, accept: (value): value is unknown => isWritable(value) },
  headers: {
    accepts: 'an object of header names and texts, Content-Length, Transfer-Encoding and Trailer excepted',
    accept: isHeaders,
  },
  ms: {
    accepts: `milliseconds from 0 to ${maxDelayMs}`,
    accept: (value): value is number => typeof value === 'number' && value >= 0 && value <= maxDelayMs,
  },
  bytes: { accepts: 'a whole number', accept: (value): value is number => Number.isSafeInteger(value) },
}

/** @throws TypeError naming the fault, the field and what the field takes */
export function parseFaults(given: readonly GivenFault[]): readonly Fault[] {
  if (!Array.isArray(given)) throw new TypeError('Faults are a list of objects with match, times and action')
  return given.map((fault, at) => withPlace(`Fault ${at + 1} of ${given.length}`, () => parseFault(fault)))
}

function parseFault(given: GivenFault): Fault {
  const { match = {}, times = 1, action } = parsePatch(given, faultFields)
  if (action === undefined) throw new TypeError(`The field action is missing; it takes ${faultFields.action.accepts}`)
  return {
    match: withPlace('match', () => parsePatch(match, matchFields)),
    times,
    action: withPlace('action', () => parseAction(action)),
  }
}

function parseAction({ type, ...given }: FaultAction): FaultAction {
  if (!isFaultType(type)) {
    const types = Object.keys(faultTypes).join(', ')
    throw new TypeError(`There is no type ${quoted(type)}; there are ${types}`)
  }
  const { required, optional } = faultTypes[type]
  const names = [...required, ...optional]
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const there = names.length === 0 ? 'it has none' : `there are ${names.join(', ')}`
    throw new TypeError(`The type ${type} has no parameter ${quoted(unknown)}; ${there}`)
  }
  const parameters: Parameters = parsePatch(given as Parameters, parameterFields)
  const missing = required.find((name) => Reflect.get(parameters, name) === undefined)
  if (missing !== undefined) throw new TypeError(`The type ${type} needs the parameter ${missing}`)
  checkBytes(type, parameters.bytes)
  return { type, ...parameters } as FaultAction
}

function checkBytes(type: FaultType, bytes: number | undefined): void {
  if (bytes === undefined) return
  const got = `but got ${bytes}`
  if (type === 'wrong_content_length') {
    if (bytes === 0) throw new TypeError(`The parameter bytes of ${type} takes a whole number other than 0, ${got}`)
    return
  }
  const least = type === 'slow_body' ? 1 : 0
  if (bytes < least) throw new TypeError(`The parameter bytes of ${type} takes a whole number from ${least} up, ${got}`)
}

function isFaultType(type: unknown): type is FaultType {
  return typeof type === 'string' && Object.hasOwn(faultTypes, type)
}

/** Names and values that Node accepts; headers that frame the body are excluded. */
function isHeaders(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(value).every(
    ([name, content]) =>
      /^[\w!#$%&'*+.^`|~-]+$/.test(name) &&
      !/^(content-length|transfer-encoding|trailer)$/i.test(name) &&
      typeof content === 'string' &&
      /^[\t\x20-\x7e\x80-\xff]*$/.test(content),
  )
}

function objectField<Value>(accepts: string): PatchField<Value> {
  return {
    accepts,
    accept: (value): value is Value => typeof value === 'object' && value !== null && !Array.isArray(value),
  }
}

/** Adds the place to the error message. */
function withPlace<Result>(place: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(`${place}: ${error.message}`, { cause: error }) : error
  }
}
