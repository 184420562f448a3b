import { type Html, html } from '../site/html/html.ts'
import { type FormOptions, fieldProblem, formTo, idOf, problemText, saysWrong } from './form.ts'
import type { SectionName, View } from './section.ts'

/** What cannot be taken back. */
interface SureForm extends Pick<FormOptions, 'fields'> {
  readonly action: `${SectionName}/${string}`
  /** What is lost, beside the box that has to be ticked. */
  readonly consequence: string
  readonly button: string
}

/** A form with a second step: a box, named `sure`, that a person has to tick. */
export function sureForm(view: View, { action, consequence, button, fields = {} }: SureForm): Html {
  const id = idOf(action, 'sure')
  const problem = fieldProblem(view, action, 'sure')
  const content = html`<label class="check"><input type="checkbox" name="sure" value="yes" required${saysWrong(id, problem)}> ${consequence}</label>${problemText(id, problem)}<button class="danger">${button}</button>`
  return formTo(view, action, content, { fields })
}
