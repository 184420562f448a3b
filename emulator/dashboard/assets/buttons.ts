import { call, controlPath } from './emulator.ts'
import { say } from './store.ts'
import { type View, view } from './view.ts'

/**
 * A link that saves an answer of the control API as a file.
 * @param probe asked first: where it is refused, or nothing answers, the browser would leave the page or save the refusal
 */
export function saveLink(section: string, text: string, path: string, file: string, probe: string): View {
  const address = controlPath + path
  const onclick = async (event: MouseEvent) => {
    event.preventDefault()
    say(section)
    await call('GET', probe).then(
      () => Object.assign(document.createElement('a'), { href: address, download: file }).click(),
      ({ message }: Error) => say(section, message, 'bad'),
    )
  }
  return view`<a class="button quiet" href=${address} download=${file} @click=${onclick}>${text}</a>`
}

/** A button that sends no form. */
export function plainButton(text: string, onclick: (event: Event) => unknown): View {
  return view`<button type="button" class="quiet" @click=${onclick}>${text}</button>`
}

/** A button that copies a text, or shows it where the browser lets no page copy. */
export function copyButton(name: string, text: () => string): View {
  return plainButton(name, async () => {
    const copied = navigator.clipboard?.writeText(text()).then(
      () => true,
      () => false,
    )
    document.getElementById('toast')?.replaceChildren((await copied) ? 'Copied' : `Copy this: ${text()}`)
  })
}
