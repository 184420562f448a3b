import { windowNames } from '../../../src/protocol/rate-limits.ts'
import { jsonOrText } from './copies.ts'

/** What the control API refused, or the page itself. */
export class CallRefusal extends Error {
  override readonly name = 'CallRefusal'
  /** 0 without an answer. */
  readonly status: number
  /** Of the form, if it is about one. */
  readonly field: string | undefined

  constructor(message: string, status: number, field?: string) {
    super(message)
    this.status = status
    this.field = field
  }
}

/** The control API names fields in its words; of settings it names all that are wrong. A field of a field has its path. */
export function problemsIn(message: string, isField: (name: string) => boolean): ReadonlyMap<string, string> {
  const named = message.split(/\. (?=The setting )/).flatMap((text) => {
    const [, path = ''] = /\b(?:field|setting) ([\w.]+)/.exec(text) ?? []
    return [...path.split('.'), path].map((name) => [name, text] as const)
  })
  return new Map(named.filter(([name]) => isField(name)))
}

type Fields = Pick<FormData, 'get' | 'keys'>

/** Text without blanks around it. */
export function typed(fields: Fields, name: string): string {
  return String(fields.get(name) ?? '').trim()
}

/** A number if the text is one; otherwise the text, for the control API to refuse in its words. */
export function numberOrText(text: string): number | string {
  return /^-?\d{1,17}(\.\d+)?$/.test(text) ? Number(text) : text
}

/** Limits, each in a field of its own; an empty field is an unlimited window. @param prefix of the names of the fields */
export function limitsIn(fields: Fields, prefix = ''): Readonly<Record<string, number | null>> {
  const limits = windowNames.map((window) => {
    const text = typed(fields, prefix + window)
    const takes = 'Takes whole units, or nothing for an unlimited window'
    if (!/^\d{0,15}$/.test(text)) throw new CallRefusal(takes, 422, prefix + window)
    return [window, text === '' ? null : Number(text)]
  })
  return Object.fromEntries(limits)
}

const matchNames = ['method', 'path', 'account_id', 'nth']

/** The form of a fault. Empty fields are absent; `times` without a number means every time. */
export function faultIn(fields: Fields): unknown {
  const names = [...fields.keys()].filter((name) => name !== 'times' && typed(fields, name) !== '')
  const only = (isOfMatch: boolean) => names.filter((name) => matchNames.includes(name) === isOfMatch)
  const values = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, faultValue(name, fields)]))
  const times = typed(fields, 'times')
  return { match: values(only(true)), times: times === '' ? null : numberOrText(times), action: values(only(false)) }
}

function faultValue(name: string, fields: Fields): unknown {
  if (name === 'body') return jsonOrText(String(fields.get(name)))
  if (name === 'headers') return headersIn(typed(fields, name))
  return ['method', 'path', 'type'].includes(name) ? typed(fields, name) : numberOrText(typed(fields, name))
}

/** Lines of `name: value`. */
function headersIn(text: string): Readonly<Record<string, string>> {
  const lines = text.split(/\s*[\r\n]\s*/).map((line) => {
    const [, name = '', value] = /^([^:]*):(.*)$/.exec(line) ?? []
    const takes = `The field headers takes lines of "name: value", but got ${JSON.stringify(line)}`
    if (value === undefined) throw new CallRefusal(takes, 422, 'headers')
    return [name.trim(), value.trim()]
  })
  return Object.fromEntries(lines)
}
