import type { ArmedFault } from '../../faults/fault-book.ts'
import { type Html, html } from '../../site/html/html.ts'
import { formTo, linkTo, liveRegion } from '../form.ts'
import { numberOrText, textOf } from '../form-fields.ts'
import { pressProblem } from '../press-problem.ts'
import type { Section, View } from '../section.ts'
import { readFaultForm } from './fault-fields.ts'
import { faultForm, prefillNames } from './fault-form.ts'
import { actionWords, strikeWords } from './fault-words.ts'

export const faultsSection: Section = {
  name: 'faults',
  heading: 'Faults',
  live: armedFaults,
  view: (
    view,
  ) => html`${liveRegion('faults', armedFaults(view))}${pressProblem(view, ['faults/remove', 'faults/remove-all'])}
${faultForm(view)}`,
  actions: {
    arm({ control, fields }) {
      const armed = control.faults.add(readFaultForm(fields))
      return { notice: html`Armed: ${actionWords(armed.action)} ${strikeWords(armed)}.`, query: prefillNames }
    },
    remove({ control, fields }) {
      control.faults.remove(Number(numberOrText(textOf(fields, 'id'))))
      return {}
    },
    'remove-all': ({ control }) => {
      control.faults.clear()
      return {}
    },
  },
}

/** The faults in force, in the order in which they act. */
function armedFaults(view: View): Html {
  const faults = view.control.faults.list()
  const calm = { ...view, refused: undefined }
  if (faults.length === 0) return html`<p>No fault is armed: every request gets the service’s own answer.</p>`
  const lines = html`<ol class="armed">${faults.map((fault) => html`<li>${line(calm, fault)}</li>\n`)}</ol>`
  const removeAll = html`<button class="quiet" id="fault-remove-all">Remove all</button>`
  return html`${formTo(calm, 'faults/remove', lines)}
${faults.length > 1 && formTo(calm, 'faults/remove-all', removeAll)}`
}

/** A button of the form around all lines: its value is the fault's id. */
function line(view: View, fault: ArmedFault): Html {
  const { id, action, struck } = fault
  const link = linkTo(
    view,
    { fault: id, method: null, path: null, status: null, account_id: null, refused: null },
    'requests',
  )
  return html`<span><strong>${actionWords(action)}</strong> ${strikeWords(fault)}. ${
    struck === 0 ? 'It has struck nothing yet.' : html`<a href="${link}">Struck ${struck}</a>`
  }</span> <button class="quiet" name="id" value="${id}" id="fault-remove-${id}" aria-label="Remove fault ${id}">Remove</button>`
}
