import type { RequestListing } from '../../control/request-control.ts'
import type { LoggedRequest } from '../../storage/record-types.ts'
import { addressed, filterNames, go, hasFilter, link, linkTo, queryOf, withoutFilter } from './address.ts'
import { copyButton, plainButton, saveLink } from './buttons.ts'
import { requestAside } from './detail.ts'
import { call } from './emulator.ts'
import { checkbox, fields, pressButton, searchForm } from './forms.ts'
import { typed } from './input.ts'
import { allShown, unseenText, withOlder } from './log.ts'
import { focusRow, moveInRows, openRow, rememberRow, rowStop } from './rows.ts'
import { shown, type Times, times } from './shown.ts'
import { change, type PageState, say, state } from './store.ts'
import { keyed, type View, view } from './view.ts'
import { briefReason } from './why.ts'

export function requestsView(page: PageState): View {
  const { log } = page
  const isOpen = addressed('request') !== undefined
  const query = queryOf()
  return view`<div class=${isOpen ? 'log open' : 'log'}>
    <div class="stack">
      <details class="most" ?open=${innerWidth >= 640 || hasFilter()}><summary>Filter the list</summary>${filterForm()}</details>
      <p class="row">
        ${log.isPaused && unseenText(log) !== '' && plainButton(`Show ${unseenText(log)}`, showNew)}
        <span class="soft" id="tally">${tallyText(page)}</span>${findingLinks(page)}
      </p>
      <div id="log-list" tabindex="0" role="region" aria-label="List of requests" @scroll=${() => change()}>
        ${log.rows.length > 0 ? logTable(page) : nothingListed(page)}
      </div>
      <div class="row">
        ${saveLink('requests', 'Save as HAR', `/requests.har?${query}`, 'filehost-requests.har')}
        ${pressButton('requests/clear', 'Clear the log', clearLog)}
        <span class="soft">Requests to the API only; none to the website, this page or the control API.</span>
      </div>
    </div>
    ${isOpen && requestAside(page)}
  </div>`
}

function showNew(): void {
  document.getElementById('log-list')?.scrollTo(0, 0)
  change({ log: allShown(state.log) })
}

async function clearLog(): Promise<void> {
  const { deleted } = await call<{ deleted: number }>('DELETE', '/requests')
  go(linkTo({ request: null }))
  say('requests', `The log is cleared: ${deleted} requests are gone.`)
}

const columns = ['Time', 'Method', 'Status', 'Path', 'Account', 'Units', 'Why']

function logTable(page: PageState): View {
  const { rows, hasOlder } = page.log
  const when = times(page)
  const stop = rowStop(page)
  const act = () => void showOlder().catch(({ message }: Error) => say('requests', message, 'bad'))
  const row = (request: LoggedRequest) => requestRow(request, when, request.number === stop)
  return view`<table id="log">
      <thead><tr>${columns.map((name) => view`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody id="rows" @keydown=${moveInRows} @click=${openRow} @focusin=${rememberRow}>
        ${keyed(rows, 'number', row, [when, stop, page.query])}
      </tbody>
    </table>${hasOlder && view`<p class="older">${plainButton('Show older requests', act)}</p>`}`
}

const olderAtOnce = 100

/** Older requests stay until new ones come. */
async function showOlder(): Promise<void> {
  const path = `/requests?limit=${olderAtOnce}&before=${state.log.rows.at(-1)?.number}&${queryOf()}`
  const { requests } = await call<RequestListing>('GET', path)
  change({ log: withOlder(state.log, requests, requests.length === olderAtOnce) })
  requestAnimationFrame(() => focusRow(requests.at(-1)?.number))
}

/** A request in the list: one link, which opens it. */
function requestRow(request: LoggedRequest, when: Times, isStop: boolean): View {
  const { number, at, method, status, endpoint, account_id: account, cost } = request
  return view`<tr class=${toneOf(request)}><td><a href=${linkTo({ request: number })} data-number=${number}
    tabindex=${isStop ? 0 : -1} aria-current=${addressed('request') === `${number}` && 'true'}>${when.precise(at)}</a></td>
    <td>${shown(method, 32)}</td><td><span class="pill">${status}</span></td><td>${shown(endpoint, 160)}</td>
    <td>${account ?? 'none'}</td><td>${cost}</td><td>${briefReason(request)}</td></tr>`
}

/** What the rows' colours mean; the status and the last column say it in words. */
function toneOf({ status, fault }: LoggedRequest): string {
  if (fault !== undefined) return 'struck'
  if (status === 429 || status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}

function tallyText({ state, log }: PageState): string {
  if (log.connection === 'refused') return ''
  const { kept = 0, dropped = 0 } = state?.log ?? {}
  const matched = `${log.hasOlder ? 'more than ' : ''}${log.rows.length.toLocaleString('en')}`
  const all = `${hasFilter() ? `${matched} of ` : ''}${kept.toLocaleString('en')}`
  const lost = dropped === 0 ? '' : `, ${dropped.toLocaleString('en')} older ones dropped`
  return `${all} ${kept === 1 ? 'request' : 'requests'}${lost}`
}

/** The etiquette report in one line: each sum filters by itself. */
function findingLinks({ findings = [] }: PageState): View {
  const links = findings.map(({ kind, count, advice: title }, at) => [
    at > 0 && ', ',
    link(`${count.toLocaleString('en')} ${kind.replaceAll('_', ' ')}`, { ...withoutFilter, finding: kind }, { title }),
  ])
  return findings.length > 0 && view`<span class="findings">Etiquette: ${links}</span>`
}

const filterFields = [
  ['search', 'Search', 'any text'],
  ['method', 'Method', 'POST'],
  ['status', 'Status', '4xx'],
  ['path', 'Path', '/api/uploads/*'],
  ['account_id', 'Account', '1'],
  ['since', 'Since', '2026-01-15T12:00Z'],
] as const

function filterForm(): View {
  const [fault, finding] = [addressed('fault'), addressed('finding')]
  const isOne = /^\d+$/.test(fault ?? '')
  const given = filterFields.map(([name, label, placeholder]) => ({ name, label, placeholder, value: addressed(name) }))
  const changes = (form: FormData) => ({
    request: null,
    ...Object.fromEntries(filterNames.filter((name) => name !== 'finding').map((name) => [name, typed(form, name)])),
  })
  return searchForm(
    'filter',
    'Requests',
    changes,
    view`${fields('filter', given)}
      ${checkbox('fault', isOne ? `struck by fault ${fault}` : 'fault struck', { value: (isOne && fault) || 'any', checked: fault !== undefined })}
      <button>Filter</button>
      ${hasFilter() && link('Clear', withoutFilter)}
      ${finding !== undefined && view`<span class="pill">only ${shown(finding.replaceAll('_', ' '), 40)}</span>`}`,
  )
}

function nothingListed({ state, log, connection }: PageState): View {
  if (state === undefined || log.connection !== 'live' || (!hasFilter() && state.log.kept > 0)) return ''
  if (hasFilter()) {
    const clear = link('Clear filter', withoutFilter, { class: 'button' })
    return view`<div id="no-requests" class="stack"><p>No request matches the filter.</p><p>${clear}</p></div>`
  }
  const first = `curl -H 'X-Api-Key: ${connection?.api_key ?? 'KEY'}' ${location.origin}/api/stats`
  return view`<div id="no-requests" class="stack">
    <p><strong>No requests yet.</strong> Send one:</p>
    <pre tabindex="0" role="region" aria-label="A first request">${first}</pre>
    ${copyButton('Copy the command', () => first)}
    <p class="soft">For fh, your tests and your program, <code>fh emulate env ${location.origin}</code> prints the variables.</p>
  </div>`
}
