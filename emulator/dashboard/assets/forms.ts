import { type Changes, go, linkTo } from './address.ts'
import { CallRefusal, call, controlPath } from './api.ts'
import { type Child, h, type Props } from './dom.ts'
import { FieldProblem, problemsIn } from './problems.ts'
import { redraw, type SectionName, say } from './view.ts'

interface Problem {
  /** Above the form, if no field has it. */
  readonly message?: string | undefined
  /** By field. */
  readonly fields: ReadonlyMap<string, string>
}

const problems = new Map<string, Problem>()
const busy = new Set<string>()

/** @param fields what is wrong, by the field of the form */
export function showProblems(form: string, fields: Problem['fields']): void {
  problems.set(form, { fields })
}

interface Press {
  /** `<section>/<action>`. */
  readonly name: `${SectionName}/${string}`
  /** The field that a refusal is about, if it names none. */
  readonly field?: string
  readonly props?: Props
  /** @returns what is said in the section */
  act(fields: FormData, form: HTMLFormElement): Promise<Child>
}

/** For a press whose section shows by itself what it did. */
export const quietly = (): Child => ''

/** A form that changes its section alone. What was refused stays typed, with the reason beside it. */
export function pressForm(press: Press, ...children: readonly Child[]): HTMLElement {
  const message = problems.get(press.name)?.message
  const onsubmit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    void run(press, new FormData(form, event.submitter), form)
  }
  const problem = message !== undefined && h('p.problem', { role: 'alert' }, message)
  return h('form', { ...press.props, id: idOf(press.name, 'form'), onsubmit }, problem, ...children)
}

/** A form of one field and the button that sends it. */
export function fieldForm(
  press: Press & { readonly field: string },
  label: string,
  options: FieldOptions,
  text: string,
): HTMLElement {
  return pressForm(press, field(press.name, press.field, label, options), h('button.quiet', text))
}

/** A form whose fields become part of the page's address. @param label of what is searched */
export function searchForm(label: string, changes: (fields: FormData) => Changes, props: Props, ...children: Child[]) {
  const onsubmit = (event: SubmitEvent) => {
    event.preventDefault()
    go(linkTo(changes(new FormData(event.currentTarget as HTMLFormElement))))
  }
  return h('form', { ...props, role: 'search', 'aria-label': label, onsubmit }, ...children)
}

export function pressButton(press: Press, text: string, props: Props = {}): HTMLElement {
  return pressForm({ ...press, props: { class: 'inline' } }, h('button.quiet', { ...props }, text))
}

/** Once at a time: a second press while the first is on its way does nothing. */
async function run({ name, field, act }: Press, fields: FormData, form: HTMLFormElement): Promise<void> {
  if (busy.has(name)) return
  const section = name.split('/')[0] as SectionName
  busy.add(name)
  form.setAttribute('aria-busy', 'true')
  problems.delete(name)
  say(section)
  try {
    const said = await act(fields, form)
    form.reset()
    if (said) say(section, h('div.notice.good', said))
  } catch (error) {
    problems.set(name, problemOf(error, form, field))
  } finally {
    busy.delete(name)
    form.removeAttribute('aria-busy')
    redraw(section)
    if (problems.has(name)) requestAnimationFrame(() => focusWrong(form))
  }
}

function problemOf(error: unknown, form: HTMLFormElement, field: string | undefined): Problem {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof FieldProblem) return { fields: new Map([[error.field, message]]) }
  const names = new Set(new FormData(form).keys())
  const found = problemsIn(message, (name) => names.has(name))
  if (found.size > 0) return { fields: found, message: found.size > 1 ? manyWrong(found.size) : undefined }
  if (field !== undefined && error instanceof CallRefusal && error.status === 422)
    return { fields: new Map([[field, message]]) }
  return { message, fields: found }
}

function manyWrong(count: number): string {
  return `Nothing is saved: ${count} values cannot be taken.`
}

function focusWrong(form: HTMLFormElement): void {
  form.querySelector<HTMLElement>('[aria-invalid]')?.focus()
}

interface FieldOptions {
  /** What the field takes, below it. */
  readonly hint?: string
  /** A textarea or a select has its content as children. */
  readonly tag?: 'input' | 'textarea' | 'select'
  readonly props?: Props
  readonly children?: Child
}

/** A labelled field with its problem beside it. */
export function field(form: string, name: string, label: string, options: FieldOptions = {}): HTMLElement {
  const { hint, tag = 'input', props = {}, children } = options
  const id = idOf(form, name)
  const problem = problems.get(form)?.fields.get(name)
  const notes = Object.entries({ hint, problem }).filter(([, text]) => text !== undefined)
  const described = notes.length > 0 && { 'aria-describedby': notes.map(([kind]) => `${id}-${kind}`).join(' ') }
  const wrong = problem !== undefined && { 'aria-invalid': 'true' }
  return h(
    'span.field',
    h('label', { for: id }, label),
    h(tag, { id, name, autocomplete: 'off', ...props, ...described, ...wrong }, children),
    notes.map(([kind, text]) => h(`span.${kind}`, { id: `${id}-${kind}` }, text)),
  )
}

export function options(values: readonly unknown[], chosen: string): readonly Child[] {
  return values.map(String).map((value) => h('option', { value, selected: value === chosen }, value))
}

/** Unique on the page. */
export function idOf(form: string, name: string): string {
  return `${form.replace('/', '-')}-${name}`
}

/** Text without blanks around it. */
export function typed(fields: FormData, name: string): string {
  return String(fields.get(name) ?? '').trim()
}

interface Saving {
  readonly section: SectionName
  readonly href: string
  readonly file: string
  /** Asked first: where it is refused, or nothing answers, the browser would leave the page or save the refusal. */
  readonly probe: string
}

/** A link that saves an answer of the control API as a file. */
export function saveLink({ section, href, file, probe }: Saving, text: string): HTMLElement {
  const address = { href: controlPath + href, download: file }
  const onclick = async (event: MouseEvent) => {
    event.preventDefault()
    say(section)
    await call('GET', probe).then(
      () => h('a', address).click(),
      (error: Error) => say(section, h('p.problem', { role: 'alert' }, error.message)),
    )
  }
  return h('a.button.quiet', { ...address, onclick }, text)
}

/** A button that sends no form. */
export function plainButton(text: string, onclick: (event: Event) => unknown, props: Props = {}): HTMLElement {
  return h('button', { type: 'button', class: 'quiet', ...props, onclick }, text)
}

let said: HTMLElement | undefined

/** A button that copies a text, or marks it where the browser lets no page copy. */
export function copyButton(name: string, text: () => string, props: Props = {}): HTMLElement {
  const onclick = async ({ currentTarget }: Event) => {
    const whole = text()
    const copied = await navigator.clipboard?.writeText(whole).then(
      () => true,
      () => false,
    )
    tell(copied ? 'Copied' : `Copy this: ${whole}`)
    ;(currentTarget as HTMLElement | null)?.focus()
  }
  return plainButton(name, onclick, props)
}

/** Emptied first: a text that does not change is not read out again. */
function tell(text: string): void {
  const place = said ?? h('p.toast', { role: 'status' })
  if (said === undefined) {
    said = place
    document.body.append(place)
    document.addEventListener('click', () => place.replaceChildren())
  }
  requestAnimationFrame(() => place.replaceChildren(text))
}

/** Texts that are shown once, each with a button that copies it. */
export function secrets(text: string, values: Readonly<Record<string, string>>): Child {
  const rows = Object.entries(values).map(([name, value]) => {
    const copy = copyButton(`Copy ${name}`, () => value)
    return h('div', h('dt', name), h('dd', h('output', value), ' ', copy))
  })
  return [h('p', `${text} Copy what you need: it is shown this once.`), h('dl.secrets', rows)]
}
