import { invalidValue } from '../../../src/checks/coded-error.ts'
import { isTooDeep } from '../../../src/protocol/json-depth.ts'
import { type FaultType, faultTypes } from '../../faults/fault.ts'
import {
  checkBytes,
  type FaultField,
  faultFields,
  type GivenFault,
  isFaultType,
  parseFault,
} from '../../faults/fault-parser.ts'
import { readAt } from '../../values/codec.ts'
import { mostLevels } from '../../values/writable-json.ts'
import { besideField, numberOrText, textOf } from '../form-fields.ts'
import { type ActionCall, FieldError } from '../section.ts'

export const matchNames = ['method', 'path', 'account_id', 'nth'] as const

/** The parameters of a type, those it needs first. */
export function parametersOf(type: FaultType): readonly FaultField[] {
  return Object.keys(faultTypes[type].parameters) as FaultField[]
}

/** The type that a form or an address names; the first if it names none. */
export function faultTypeOf(text: string | null): FaultType {
  return isFaultType(text) ? text : 'status'
}

/**
 * Reads a form for a fault. Empty fields are absent; `times` without a number means every time.
 * @throws FieldError naming the field and what it takes; TypeError if the fields do not fit together
 */
export function readFaultForm(fields: ActionCall['fields']): GivenFault {
  const type = textOf(fields, 'type')
  if (!isFaultType(type)) throw invalidValue('Choose a type of fault')
  const parameters = valuesOf(fields, parametersOf(type))
  const missing = faultTypes[type].required.find((name) => !(name in parameters))
  if (missing !== undefined) throw new FieldError(missing, `The type ${type} needs the parameter ${missing}`)
  besideField('bytes', () => checkBytes(type, parameters['bytes'] as number | undefined))
  const { times = null } = valuesOf(fields, ['times'])
  const fault = { match: valuesOf(fields, matchNames), times, action: { type, ...parameters } } as GivenFault
  parseFault(fault)
  return fault
}

function valuesOf(fields: ActionCall['fields'], names: readonly FaultField[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = textOf(fields, name)
      if (text.trim() === '') return []
      const read = () => readAt<unknown>(faultFields[name], givenValue(name, text), `The field ${name}`)
      return [[name, besideField(name, read)]]
    }),
  )
}

function givenValue(name: FaultField, text: string): unknown {
  if (name === 'body') return jsonOrText(text)
  if (name === 'headers') return headersOf(text)
  return name === 'method' || name === 'path' ? text.trim() : numberOrText(text.trim())
}

/** Only objects and lists are JSON here: a word or a number reads the same as text. */
function jsonOrText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  if (isTooDeep(text, mostLevels))
    throw new FieldError('body', `The field body takes JSON of at most ${mostLevels} levels`)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Lines of `name: value`. */
function headersOf(text: string): Readonly<Record<string, string>> {
  const lines = text.split(/\r\n?|\n/).filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      if (colon === -1)
        throw new FieldError(
          'headers',
          `The field headers takes lines of "name: value", but got ${JSON.stringify(line)}`,
        )
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    }),
  )
}
