import { windowNames } from '../../../src/protocol/rate-limits.ts'
import { change } from './store.ts'
import { keyed, type View, view } from './view.ts'

export interface FormField {
  readonly name: string
  /** Default: the name. */
  readonly label?: string
  readonly value?: string | number | undefined
  /** Of a select. */
  readonly values?: readonly unknown[] | undefined
  /** Of a textarea. */
  readonly rows?: number | undefined
  /** Default: `text`. */
  readonly type?: 'file' | 'search'
  readonly required?: boolean
  readonly placeholder?: string
  /** What the field takes, below it. */
  readonly hint?: string
  oninput?(event: Event): void
}

export interface Problem {
  /** Above the form, if no field has it. */
  readonly message?: string | undefined
  readonly byField: ReadonlyMap<string, string>
}

export const problems = new Map<string, Problem>()
/** What is wrong, by the field of a form. */
export function showProblems(form: string, byField: Problem['byField']): void {
  problems.set(form, { byField })
  change()
}

export function fields(form: string, list: readonly FormField[]): View {
  return keyed(list, 'name', (one) => field(form, one))
}

/** A labelled field with its problem beside it. */
export function field(form: string, given: FormField): View {
  const { name, label = name, hint, value = '', values, rows, oninput } = given
  const id = idOf(form, name)
  const notes = [
    ['hint', hint],
    ['problem', problems.get(form)?.byField.get(name)],
  ].filter(([, text]) => text !== undefined)
  const described = notes.map(([kind]) => `${id}-${kind}`).join(' ') || undefined
  const wrong = notes.at(-1)?.[0] === 'problem' && 'true'
  const options = values?.map(String).map((one) => view`<option ?selected=${one === String(value)}>${one}</option>`)
  const input = options
    ? view`<select id=${id} name=${name} aria-describedby=${described} aria-invalid=${wrong} @input=${oninput}>${options}</select>`
    : rows === undefined
      ? view`<input id=${id} name=${name} aria-describedby=${described} aria-invalid=${wrong} @input=${oninput} type=${given.type ?? 'text'}
          value=${value} placeholder=${given.placeholder} ?required=${given.required} autocomplete="off" spellcheck="false">`
      : view`<textarea id=${id} name=${name} aria-describedby=${described} aria-invalid=${wrong} @input=${oninput} rows=${rows}
          .defaultValue=${value} spellcheck="false"></textarea>`
  const said = notes.map(([kind, text]) => view`<span class=${kind} id=${`${id}-${kind}`}>${text}</span>`)
  return view`<span class="field"><label for=${id}>${label}</label>${input}${said}</span>`
}

/** Unique on the page. */
export function idOf(form: string, name: string): string {
  return `${form.replace('/', '-')}-${name}`
}

type Limits = Readonly<Record<string, number | null | undefined>>

/** Limits, each in a field of its own; an empty field is an unlimited window. @param prefix of the names of the fields */
export function limitFields(legend: string, form: string, limits: Limits, prefix = ''): View {
  const list = windowNames.map((window) => ({ name: prefix + window, label: window, value: limits[window] ?? '' }))
  return view`<fieldset><legend>${legend}</legend><div class="quotas">${fields(form, list)}</div></fieldset>`
}
