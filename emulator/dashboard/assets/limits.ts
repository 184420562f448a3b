import { windowNames } from '../../../src/protocol/rate-limits.ts'
import { h } from './dom.ts'
import { field, typed } from './forms.ts'
import { FieldProblem } from './problems.ts'

type Limits = Readonly<Record<string, number | null | undefined>>

/** Limits, each in a field of its own; an empty field is an unlimited window. @param prefix of the names of the fields */
export function limitFields(legend: string, form: string, limits: Limits, prefix = ''): HTMLElement {
  const fields = windowNames.map((window) => {
    const props = { value: `${limits[window] ?? ''}`, inputmode: 'numeric' }
    return field(form, prefix + window, window, { props })
  })
  return h('fieldset', h('legend', legend), h('div.quotas', fields))
}

export function limitsIn(fields: FormData, prefix = ''): Readonly<Record<string, number | null>> {
  const limits = windowNames.map((window) => {
    const name = prefix + window
    const text = typed(fields, name)
    if (!/^\d{0,15}$/.test(text)) throw new FieldProblem(name, 'Takes whole units, or nothing for an unlimited window')
    return [window, text === '' ? null : Number(text)]
  })
  return Object.fromEntries(limits)
}
