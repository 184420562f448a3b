import { tokenField } from '../site/forms/form-tokens.ts'
import { type Html, html } from '../site/html/html.ts'
import type { SectionName, View } from './section.ts'

/** Where the dashboard is. */
export const dashboardPath = '/_emulator/ui'

/** Names that a link does not carry on: they were meant for one look, or for the stream of events. */
const passing = new Set(['notice', 'after', 'era'])

/**
 * The address of the page with some names of its query changed, others as they are.
 * @param changes null takes a name away
 * @param anchor the id of an element
 */
export function linkTo(
  { query }: Pick<View, 'query'>,
  changes: Readonly<Record<string, string | number | null>>,
  anchor?: string,
): string {
  const kept = [...query.entries()].filter(([name]) => !passing.has(name) && !(name in changes))
  const changed = Object.entries(changes).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, String(value)]],
  )
  // Slashes, stars and commas mean nothing in a query, and links with them are shorter and can be read.
  const text = new URLSearchParams([...kept, ...changed]).toString().replace(/%2F/g, '/').replace(/%2C/g, ',')
  return `?${text}${anchor === undefined ? '' : `#${anchor}`}`
}

/**
 * The names of the page's query as hidden fields, for a form that is fetched by GET.
 * @param own the form's own names
 */
export function keptQuery({ query }: View, own: readonly string[]): readonly Html[] {
  return [...query.entries()]
    .filter(([name]) => !passing.has(name) && !own.includes(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}

export interface FormOptions {
  /** For buttons elsewhere, by their attribute `form`. */
  readonly id?: string
  readonly className?: string
  /** Sent as `multipart/form-data`. */
  readonly hasFiles?: boolean
  /** Hidden fields. */
  readonly fields?: Readonly<Record<string, string | number>>
}

/** A form that an action of a section carries out; shows the problem that refused it, if no field has it. */
export function formTo(
  view: View,
  action: `${SectionName}/${string}`,
  content: Html,
  { id, className, hasFiles = false, fields = {} }: FormOptions = {},
): Html {
  const hidden = Object.entries({ [tokenField]: view.formToken, ...fields })
  const address = `${dashboardPath}/${action}${linkTo(view, {})}`.replace(/\?$/, '')
  const { refused } = view
  const problem = refused?.action === action ? refused.problem : undefined
  return html`<form method="post" action="${address}"${id !== undefined && html` id="${id}"`}${
    className !== undefined && html` class="${className}"`
  }${hasFiles && html` enctype="multipart/form-data"`}>${hidden.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
${content}</form>`
}

/** What a field of a refused form had; otherwise the usual value. */
export function entered(view: View, action: string, name: string, usual: string): string {
  const { refused } = view
  if (refused?.action !== action) return usual
  const value = refused.fields.get(name)
  return typeof value === 'string' ? value : ''
}

/** What is wrong with a field of the refused form; undefined if nothing. */
export function fieldProblem({ refused }: View, action: string, name: string): string | undefined {
  return refused?.action === action ? refused.problems.get(name) : undefined
}

export interface FieldOptions {
  readonly view: View
  /** Of its form: `<section>/<action>`. */
  readonly action: string
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly type?: 'text' | 'number' | 'email' | 'search'
  /** An example. */
  readonly placeholder?: string
  readonly isRequired?: boolean
}

/**
 * A labelled field that keeps what was entered, with its problem beside it.
 */
export function field(options: FieldOptions): Html {
  const { view, action, name, label, value = '', type = 'text', placeholder, isRequired = false } = options
  const id = idOf(action, name)
  const problem = fieldProblem(view, action, name)
  return html`<span class="field"><label for="${id}">${label}</label><input id="${id}" name="${name}" type="${type}" value="${entered(
    view,
    action,
    name,
    value,
  )}" autocomplete="off"${placeholder !== undefined && html` placeholder="${placeholder}"`}${
    isRequired && html` required`
  }${saysWrong(id, problem)}>${problemText(id, problem)}</span>`
}

export interface ChoiceOptions extends Omit<FieldOptions, 'type' | 'placeholder' | 'isRequired'> {
  /** Value and text of each. */
  readonly options: readonly (readonly [value: string, text: string])[]
}

/**
 * A labelled list to choose from, which keeps the choice.
 */
export function choice({ view, action, name, label, value = '', options }: ChoiceOptions): Html {
  const id = idOf(action, name)
  const chosen = entered(view, action, name, value)
  const problem = fieldProblem(view, action, name)
  return html`<span class="field"><label for="${id}">${label}</label><select id="${id}" name="${name}"${saysWrong(
    id,
    problem,
  )}>${options.map(
    ([option, text]) => html`<option value="${option}"${option === chosen && html` selected`}>${text}</option>`,
  )}</select>${problemText(id, problem)}</span>`
}

/** Unique on the page. */
export function idOf(action: string, name: string): string {
  return `${action.replace('/', '-')}-${name}`
}

export function saysWrong(id: string, problem: string | undefined): Html | false {
  return problem !== undefined && html` aria-invalid="true" aria-describedby="${id}-problem"`
}

export function problemText(id: string, problem: string | undefined): Html | false {
  return problem !== undefined && html`<span class="problem" id="${id}-problem">${problem}</span>`
}

/**
 * The place of a section's part that changes by itself.
 */
export function liveRegion(name: SectionName, content: Html): Html {
  return html`<div data-live="${name}">${content}</div>`
}
