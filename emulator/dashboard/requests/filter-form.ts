import { type Html, html } from '../../site/html/html.ts'
import { keptQuery, linkTo } from '../form.ts'
import type { View } from '../section.ts'
import { type FilterName, filterNames, type ListFilter } from './filter.ts'

/** A filter that can be bookmarked: it is in the page's address, and works without the page's script. */
export function filterForm(view: View, filter: ListFilter): Html {
  const { given, isSet } = filter
  const isNumbered = /^\d+$/.test(given.fault)
  const unfiltered = Object.fromEntries(filterNames.map((name) => [name, null]))
  return html`<form method="get" action="#requests" class="filter" role="search" aria-label="Requests">${keptQuery(
    view,
    [...filterNames, 'request'],
  )}
${part(filter, 'method', 'Method', 'POST')}
${part(filter, 'status', 'Status', '4xx')}
${part(filter, 'path', 'Path', '/api/uploads/*')}
${part(filter, 'account_id', 'Account', '1')}
<label class="check"><input type="checkbox" name="refused" value="1"${given.refused !== '' && html` checked`}> refused only</label>
<label class="check"><input type="checkbox" name="fault" value="${isNumbered ? given.fault : 'any'}"${
    given.fault !== '' && html` checked`
  }> ${isNumbered ? `struck by fault ${given.fault}` : 'fault struck'}</label>
<button>Filter</button>${isSet && html` <a href="${linkTo(view, unfiltered, 'requests')}">Clear</a>`}</form>`
}

function part({ given, problems }: ListFilter, name: FilterName, label: string, example: string): Html {
  const problem = problems.get(name)
  const id = `filter-${name}`
  return html`<span class="field ${name}"><label for="${id}">${label}</label><input id="${id}" name="${name}" value="${given[name]}" placeholder="${example}" autocomplete="off" spellcheck="false"${
    problem !== undefined && html` aria-invalid="true" aria-describedby="${id}-problem"`
  }>${problem !== undefined && html`<span class="problem" id="${id}-problem">${problem}</span>`}</span>`
}
