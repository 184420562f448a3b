import { type Changes, go, linkTo } from './address.ts'
import { CallRefusal, problemsIn } from './input.ts'
import { type Problem, say, showProblem, state } from './store.ts'
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

/** Labelled fields, each with its problem beside it. @param form `<section>/<action>` */
export function fields(form: string, list: readonly FormField[]): View {
  return keyed(list, 'name', (one) => field(form, one))
}

export function field(form: string, given: FormField): View {
  const { name, label = name, hint, value = '', values, rows, oninput } = given
  const id = idOf(form, name)
  const problem = state.problems[form]?.byField.get(name)
  const notes = Object.entries({ hint, problem }).filter(([, text]) => text !== undefined)
  const described = notes.map(([kind]) => `${id}-${kind}`).join(' ') || undefined
  const wrong = problem !== undefined && 'true'
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
const idOf = (form: string, name: string) => `${form.replace('/', '-')}-${name}`

export function checkbox(
  name: string,
  text: string,
  more: { value?: string; checked?: boolean; required?: boolean } = {},
): View {
  return view`<label class="check"><input type="checkbox" name=${name} value=${more.value ?? 'true'} ?checked=${more.checked}
    ?required=${more.required}> <span>${text}</span></label>`
}

type Act = (fields: FormData) => Promise<unknown>

/** A form that changes its section alone. What was refused stays typed, with the reason beside it. */
export function form(name: string, act: Act, content: View, style = 'stack'): View {
  const onsubmit = (event: SubmitEvent) => void run(name, act, event)
  return view`<form id=${idOf(name, 'form')} class=${style} @submit=${onsubmit}>${alertOf(name)}${content}</form>`
}

function alertOf(name: string): View {
  const message = state.problems[name]?.message
  return message !== undefined && view`<p class="problem" role="alert">${message}</p>`
}

/** A form of fields, and the button that sends them. */
export function fieldForm(name: string, list: readonly FormField[], text: string, act: Act): View {
  return form(name, act, [fields(name, list), view`<button class="quiet">${text}</button>`], 'fit')
}

export function pressButton(name: string, text: string, act: Act, label?: string): View {
  return form(name, act, view`<button class="quiet" aria-label=${label}>${text}</button>`, 'inline')
}

/** A form with a second step: a box that a person has to tick. */
export function sureForm(name: string, consequence: string, text: string, act: Act): View {
  const box = checkbox('sure', consequence, { required: true })
  return form(name, act, [box, view`<button class="danger">${text}</button>`])
}

/** A form whose fields become part of the page's address. @param label of what is searched */
export function searchForm(name: string, label: string, changes: (fields: FormData) => Changes, content: View): View {
  const onsubmit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    go(linkTo(changes(new FormData(form))))
    // From then on the fields follow the address.
    requestAnimationFrame(() => form.reset())
  }
  return view`<form role="search" aria-label=${label} class=${name} @submit=${onsubmit}>${content}${alertOf(name)}</form>`
}

const busy = new Set<string>()

/** Once at a time: a second press while the first is on its way does nothing. */
async function run(name: string, act: Act, event: SubmitEvent): Promise<void> {
  event.preventDefault()
  const form = event.currentTarget as HTMLFormElement
  if (busy.has(name)) return
  busy.add(name)
  form.setAttribute('aria-busy', 'true')
  showProblem(name)
  say(name.replace(/\/.*/, ''))
  try {
    await act(new FormData(form, event.submitter))
    form.reset()
  } catch (error) {
    showProblem(name, problemOf(error, form))
    requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus())
  } finally {
    busy.delete(name)
    form.removeAttribute('aria-busy')
  }
}

function problemOf(error: unknown, form: HTMLFormElement): Problem {
  const { message, status, field } = error as CallRefusal
  const names = [...new Set(new FormData(form).keys())]
  const isItsOwn = error instanceof CallRefusal && status === 422 && names.length === 1
  const [only] = field === undefined && !isItsOwn ? [] : [field ?? names[0]]
  if (only !== undefined) return { byField: new Map([[only, message]]) }
  const byField = problemsIn(message, (name) => names.includes(name))
  if (byField.size === 1) return { byField }
  return {
    byField,
    message: byField.size === 0 ? message : `Nothing is saved: ${byField.size} values cannot be taken.`,
  }
}
