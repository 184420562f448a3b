import { ask, controlPath } from './emulator.ts'
import { later } from './page-clock.ts'
import { say } from './store.ts'
import { type View, view } from './view.ts'

/** A link that saves an answer of the control API as a file. */
export function saveLink(section: string, text: string, path: string, file: string): View {
  const onclick = async (event: MouseEvent) => {
    event.preventDefault()
    say(section)
    try {
      const href = URL.createObjectURL(await (await ask('GET', path)).blob())
      Object.assign(document.createElement('a'), { href, download: file }).click()
      later(60_000, () => URL.revokeObjectURL(href))
    } catch (error) {
      say(section, (error as Error).message, 'bad')
    }
  }
  return view`<a class="button quiet" href=${controlPath + path} download=${file} @click=${onclick}>${text}</a>`
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
