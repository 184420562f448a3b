import { type Html, html } from '../../site/html/html.ts'
import { formTo } from '../form.ts'
import type { Section, View } from '../section.ts'
import { readFilter } from './filter.ts'
import { firstRows } from './most-rows.ts'
import { countMatches } from './request-events.ts'
import { requestRow } from './row.ts'
import { tallyText } from './tally.ts'

export const requestsSection: Section = {
  name: 'requests',
  heading: 'Requests',
  view(view) {
    const { journal } = view
    const filter = readFilter(view.query)
    const state = journal.look()
    const matched = filter.isSet ? countMatches(journal.all(), filter.matches) : state.kept
    return html`<p id="tally">${tallyText({ ...state, matched }, filter)}</p><p id="live">Reload for newer requests</p>
<table id="log"><tbody>${rows(view)}</tbody></table>${formTo(view, 'requests/clear', html`<button class="quiet">Clear the log</button>`)}`
  },
  actions: {
    clear({ control }) {
      control.requests.clear()
      return { query: { request: null } }
    },
  },
}

function rows(view: View): readonly Html[] {
  const { matches } = readFilter(view.query)
  const shown: Html[] = []
  for (const [number, request] of view.journal.before(Number.POSITIVE_INFINITY)) {
    if (!matches(request)) continue
    shown.push(requestRow(view, number, request))
    if (shown.length === firstRows) break
  }
  return shown
}
