import { addressed, filterNames, go, link, linkTo, queryOf, withoutFilter } from './address.ts'
import { call } from './api.ts'
import { requestAside } from './detail.ts'
import { type Child, h, headOf } from './dom.ts'
import { environment } from './environment.ts'
import { copyButton, field, plainButton, pressButton, saveLink, searchForm, typed } from './forms.ts'
import { hasOlder, hasRows, showNew, showOlder, unseenCount } from './log.ts'
import { known, say } from './view.ts'

const isFiltered = () => filterNames.some((name) => addressed(name) !== undefined)

export function requestsContent(): Child {
  const unseen = unseenCount()
  return h(
    'div',
    { class: addressed('request') === undefined ? 'log' : 'log open' },
    h(
      'div',
      { id: 'log-part' },
      filterForm(),
      h(
        'p.row.bar',
        unseen > 0 && plainButton(`Show ${unseen} new`, showNew, { id: 'show-new' }),
        h('span.soft', { id: 'tally' }, tallyText()),
        findingLinks(),
      ),
      h(
        'div',
        { id: 'log-list', tabindex: 0, role: 'region', 'aria-label': 'List of requests' },
        table(),
        nothingListed(),
        olderButton(),
      ),
      h(
        'div.row.foot',
        saveLink(
          {
            section: 'requests',
            href: `/requests.har?${queryOf(filterNames)}`,
            file: 'filehost-requests.har',
            probe: `/requests?limit=1&${queryOf(filterNames)}`,
          },
          'Save as HAR',
        ),
        pressButton({ name: 'requests/clear', act: clearLog }, 'Clear the log'),
        h('span.soft', 'Requests to the API only; none to the website, this page or the control API.'),
      ),
    ),
    requestAside(),
  )
}

async function clearLog(): Promise<Child> {
  const { deleted } = await call<{ deleted: number }>('DELETE', '/requests')
  go(linkTo({ request: null }))
  return `The log is cleared: ${deleted} requests are gone.`
}

function table(): Child {
  const head = headOf('Time', 'Method', 'Status', 'Path', 'Account', 'Units', 'Why')
  return h('table', { id: 'log', hidden: !hasRows() }, head, h('tbody', { id: 'rows', 'data-kept': true }))
}

function olderButton(): Child {
  const act = () => void showOlder().catch((error: Error) => say('requests', h('p.problem', error.message)))
  return hasOlder() && h('p.older', plainButton('Show older requests', act, { id: 'older' }))
}

function tallyText(): string {
  const { matched, kept, dropped } = known.tally ?? { matched: 0, kept: 0, dropped: 0 }
  const all = `${isFiltered() ? `${matched.toLocaleString('en')} of ` : ''}${kept.toLocaleString('en')}`
  const lost = dropped === 0 ? '' : `, ${dropped.toLocaleString('en')} older ones dropped`
  return `${all} ${kept === 1 ? 'request' : 'requests'}${lost}`
}

/** The etiquette report in one line: each sum filters by itself. */
function findingLinks(): Child {
  const found = known.findings ?? []
  if (found.length === 0) return false
  const links = found.map(({ kind, count, advice }, at) => {
    const text = `${count} ${kind.replaceAll('_', ' ')}`
    return [at > 0 && ', ', link(text, { ...withoutFilter, finding: kind }, '', { title: advice })]
  })
  return h('span.findings', 'Etiquette: ', links)
}

const fields = [
  ['search', 'Search', 'text of headers, names, reasons'],
  ['method', 'Method', 'POST'],
  ['status', 'Status', '4xx'],
  ['path', 'Path', '/api/uploads/*'],
  ['account_id', 'Account', '1'],
  ['since', 'Since', '2026-01-15T12:00:00Z'],
] as const

function filterForm(): Child {
  const fault = addressed('fault') ?? ''
  const isNumbered = /^\d+$/.test(fault)
  const finding = addressed('finding')
  const own = filterNames.filter((name) => name !== 'finding')
  return searchForm(
    'Requests',
    (given) => ({ request: null, ...Object.fromEntries(own.map((name) => [name, typed(given, name)])) }),
    { class: 'row filter' },
    fields.map(([name, label, example]) => filterField(name, label, example)),
    check('refused', 'true', addressed('refused') !== undefined, 'refused only'),
    check('fault', isNumbered ? fault : 'any', fault !== '', isNumbered ? `struck by fault ${fault}` : 'fault struck'),
    h('button', 'Filter'),
    isFiltered() && link('Clear', withoutFilter),
    finding !== undefined && h('span.pill', `only ${finding.replaceAll('_', ' ')}`),
  )
}

function filterField(name: string, label: string, placeholder: string): Child {
  const props = { value: addressed(name) ?? '', placeholder, spellcheck: 'false' }
  return field('filter', name, label, { props })
}

function check(name: string, value: string, checked: boolean, text: string): Child {
  return h('label.check', h('input', { type: 'checkbox', name, value, checked }), ` ${text}`)
}

function nothingListed(): Child {
  if (hasRows() || known.tally === undefined || (!isFiltered() && known.tally.kept > 0)) return false
  if (isFiltered()) {
    const clear = link('Clear filter', withoutFilter, '', { class: 'button' })
    return h('div', { id: 'no-requests' }, h('p', 'No request matches the filter.'), h('p', clear))
  }
  const first = `curl -H 'X-Api-Key: ${known.connection?.api_key ?? 'KEY'}' ${location.origin}/api/stats`
  return h(
    'div',
    { id: 'no-requests' },
    h('p', h('strong', 'No requests yet.'), ' Send one:'),
    h('pre', { tabindex: 0, role: 'region', 'aria-label': 'A first request' }, first),
    copyButton('Copy the command', () => first),
    h('p', 'Or let fh, your tests and your program use this emulator:'),
    environment(),
  )
}

/** The environment is told here as long as there are no requests. */
export const isWithoutRequests = () => !hasRows() && !isFiltered() && known.tally?.kept === 0
