import { type Html, html } from '../site/html/html.ts'

interface CopyButton {
  /** What is copied: a text, or that of the element with an id. */
  readonly text?: string
  readonly from?: string
  /** Distinct on the page. */
  readonly name: string
  readonly id?: string
}

/** Shown only where the page's script runs, which does the copying. */
export function copyButton({ text, from, name, id }: CopyButton): Html {
  return html`<button type="button" class="quiet"${id !== undefined && html` id="${id}"`}${
    text !== undefined && html` data-copy="${text}"`
  }${from !== undefined && html` data-copy-from="${from}"`}>${name}</button>`
}
