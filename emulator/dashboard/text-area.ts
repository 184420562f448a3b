import { type Html, html } from '../site/html/html.ts'
import { entered, type FieldOptions, fieldProblem, idOf, problemText, saysWrong } from './form.ts'

/** A labelled field of several lines that keeps what was entered, with its problem beside it. */
export function textArea({ view, action, name, label, value = '' }: Omit<FieldOptions, 'type' | 'placeholder'>): Html {
  const id = idOf(action, name)
  const problem = fieldProblem(view, action, name)
  // A browser drops the first line break of a text area.
  return html`<span class="field wide"><label for="${id}">${label}</label><textarea id="${id}" name="${name}" rows="2" autocomplete="off"${saysWrong(
    id,
    problem,
  )}>
${entered(view, action, name, value)}</textarea>${problemText(id, problem)}</span>`
}
