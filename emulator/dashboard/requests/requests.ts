import { type Html, html } from '../../site/html/html.ts'
import { formTo, linkTo } from '../form.ts'
import type { Section, View } from '../section.ts'
import { detailAside } from './detail.ts'
import { filterNames, type ListFilter, readListFilter } from './filter.ts'
import { filterForm } from './filter-form.ts'
import { firstRows } from './most-rows.ts'
import { countMatches } from './request-events.ts'
import { lookAt, requestRow } from './row.ts'
import { tallyText } from './tally.ts'

export const requestsSection: Section = {
  name: 'requests',
  heading: 'Requests',
  view: logPart,
  beside: detailAside,
  actions: {
    clear({ control }) {
      control.requests.clear()
      return { query: { request: null } }
    },
  },
}

function logPart(view: View): Html {
  const { journal } = view
  const filter = readListFilter(view.query)
  const state = journal.look()
  const matched = filter.isSet ? countMatches(journal.all(), filter.matches) : state.kept
  const rows = newestRows(view, filter)
  return html`<div id="log-part">
${filterForm(view, filter)}
<p class="bar"><span id="live-state">Reload the page for newer requests</span> <button id="show-new" type="button" hidden></button><span id="tally">${tallyText(
    { ...state, matched },
    filter,
  )}</span></p>
<div id="log-list" tabindex="0" role="region" aria-label="List of requests">
<table id="log"${rows.length === 0 && html` hidden`}><thead><tr><th scope="col">Time<th scope="col">Method<th scope="col">Status<th scope="col">Path<th scope="col"><abbr title="Account">Acct</abbr><th scope="col">Units<th scope="col">Why</thead><tbody>${rows}</tbody></table>
${rows.length === 0 && nothingListed(view, filter)}</div>
<div class="row">${formTo(view, 'requests/clear', html`<button class="quiet">Clear the log</button>`)}<p class="soft">The list has the requests to the API, and none to the website, this dashboard or the control API.</p></div>
</div>`
}

function newestRows(view: View, { matches }: ListFilter): readonly Html[] {
  const look = lookAt(view)
  const rows: Html[] = []
  for (const [number, request] of view.journal.before(Number.POSITIVE_INFINITY)) {
    if (!matches(request)) continue
    rows.push(requestRow(look, number, request))
    if (rows.length === firstRows) break
  }
  return rows
}

function nothingListed(view: View, { isSet }: ListFilter): Html {
  const unfiltered = Object.fromEntries(filterNames.map((name) => [name, null]))
  if (isSet) {
    return html`<div id="no-requests"><p>No request matches the filter.</p><p><a class="button" href="${linkTo(
      view,
      unfiltered,
      'requests',
    )}">Clear filter</a></p></div>`
  }
  const key = view.control.connection().api_key ?? 'KEY'
  return html`<div id="no-requests"><p>No requests yet. Send one:</p><pre id="first-request" tabindex="0" role="region" aria-label="A first request">curl -H 'X-Api-Key: ${key}' ${view.origin}/api/stats</pre></div>`
}
