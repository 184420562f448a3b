import { type Changes, go, linkTo } from './address.ts'
import { type FormField, fields, idOf, type Problem, problems } from './fields.ts'
import { CallRefusal, problemsIn } from './input.ts'
import { change, type SectionName, say } from './store.ts'
import { type View, view } from './view.ts'

interface Press {
  /** `<section>/<action>`. */
  readonly name: `${SectionName}/${string}`
  act(fields: FormData, form: HTMLFormElement): Promise<unknown>
}

const busy = new Set<string>()

/** A form that changes its section alone. What was refused stays typed, with the reason beside it. */
export function form(press: Press, content: View, style = 'stack'): View {
  const message = problems.get(press.name)?.message
  const alert = message !== undefined && view`<p class="problem" role="alert">${message}</p>`
  const onsubmit = (event: SubmitEvent) => void run(press, event)
  return view`<form id=${idOf(press.name, 'form')} class=${style} @submit=${onsubmit}>${alert}${content}</form>`
}

/** A form of fields, and the button that sends them. */
export function fieldForm(name: Press['name'], list: readonly FormField[], text: string, act: Press['act']): View {
  return form({ name, act }, [fields(name, list), view`<button class="quiet">${text}</button>`], 'fit')
}

export function pressButton(
  name: Press['name'],
  text: string,
  act: Press['act'],
  more: { disabled?: boolean; label?: string } = {},
): View {
  const button = view`<button class="quiet" aria-label=${more.label} ?disabled=${more.disabled}>${text}</button>`
  return form({ name, act }, button, 'inline')
}

/** A form with a second step: a box that a person has to tick. */
export function sureForm(name: Press['name'], consequence: string, text: string, act: Press['act']): View {
  const box = view`<label class="check"><input type="checkbox" name="sure" required> ${consequence}</label>`
  return form({ name, act }, [box, view`<button class="danger">${text}</button>`])
}

/** A form whose fields become part of the page's address. @param label of what is searched */
export function searchForm(label: string, changes: (fields: FormData) => Changes, style: string, content: View): View {
  const onsubmit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    go(linkTo(changes(new FormData(form))))
    // From then on the fields follow the address.
    requestAnimationFrame(() => form.reset())
  }
  return view`<form role="search" aria-label=${label} class=${style} @submit=${onsubmit}>${content}</form>`
}

/** Once at a time: a second press while the first is on its way does nothing. */
async function run({ name, act }: Press, event: SubmitEvent): Promise<void> {
  event.preventDefault()
  const form = event.currentTarget as HTMLFormElement
  if (busy.has(name)) return
  busy.add(name)
  form.setAttribute('aria-busy', 'true')
  problems.delete(name)
  say(name.split('/')[0] as SectionName)
  try {
    await act(new FormData(form, event.submitter), form)
    form.reset()
  } catch (error) {
    problems.set(name, problemOf(error, form))
    change()
    requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus())
  } finally {
    busy.delete(name)
    form.removeAttribute('aria-busy')
    change()
  }
}

function problemOf(error: unknown, form: HTMLFormElement): Problem {
  const { message, status, field } = error as CallRefusal
  if (field !== undefined) return { byField: new Map([[field, message]]) }
  const names = [...new Set(new FormData(form).keys())]
  const found = problemsIn(message, (name) => names.includes(name))
  if (found.size > 1) return { byField: found, message: `Nothing is saved: ${found.size} values cannot be taken.` }
  if (found.size === 1) return { byField: found }
  const [only, ...others] = names
  const isItsOwn = error instanceof CallRefusal && status === 422 && only !== undefined && others.length === 0
  return isItsOwn ? { byField: new Map([[only, message]]) } : { byField: found, message }
}
