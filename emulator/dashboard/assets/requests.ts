import type { LoggedRequest } from '../../storage/records.ts'
import { addressed, filterNames, filterQuery, go, link, linkTo, withoutFilter } from './address.ts'
import { call } from './api.ts'
import { copyButton, plainButton, saveLink } from './buttons.ts'
import { requestAside } from './detail.ts'
import { environment } from './environment.ts'
import { type FormField, fields } from './fields.ts'
import { pressButton, searchForm } from './forms.ts'
import { typed } from './input.ts'
import { holdIf, moveInRows, openRow, rememberRow, rowStop, showNew, showOlder } from './log.ts'
import { isFlowing } from './log-state.ts'
import { shown, type Times } from './shown.ts'
import { type PageState, say, times } from './store.ts'
import { keyed, type View, view } from './view.ts'
import { briefReason } from './why.ts'

const isFiltered = () => filterNames.some((name) => addressed(name) !== undefined)

/** The environment is told here as long as there are no requests. */
export const isWithoutRequests = ({ log, tally }: PageState) =>
  log.rows.length === 0 && !isFiltered() && tally?.kept === 0

export function requestsView(state: PageState): View {
  const { log } = state
  const isOpen = addressed('request') !== undefined
  const unseen = isFlowing(log) ? 0 : log.unseen
  const query = filterQuery()
  const onscroll = ({ currentTarget }: Event) => holdIf((currentTarget as HTMLElement).scrollTop > 0, 'scrolled')
  return view`<div class=${isOpen ? 'log open' : 'log'}>
    <div class="stack">
      ${filterForm()}
      <p class="row">
        ${unseen > 0 && plainButton(`Show ${unseen} new`, showNew)}
        <span class="soft" id="tally">${tallyText(state)}</span>${findingLinks(state)}
      </p>
      <div id="log-list" tabindex="0" role="region" aria-label="List of requests" @scroll=${onscroll}>
        ${log.rows.length > 0 ? logTable(state) : nothingListed(state)}
      </div>
      <div class="row">
        ${saveLink('requests', 'Save as HAR', `/requests.har?${query}`, 'filehost-requests.har', `/requests?limit=1&${query}`)}
        ${pressButton('requests/clear', 'Clear the log', clearLog)}
        <span class="soft">Requests to the API only; none to the website, this page or the control API.</span>
      </div>
    </div>
    ${isOpen && requestAside(state)}
  </div>`
}

async function clearLog(): Promise<void> {
  const { deleted } = await call<{ deleted: number }>('DELETE', '/requests')
  go(linkTo({ request: null }))
  say('requests', `The log is cleared: ${deleted} requests are gone.`)
}

const columns = ['Time', 'Method', 'Status', 'Path', 'Account', 'Units', 'Why']

function logTable(state: PageState): View {
  const { rows, unseen } = state.log
  const when = times(state)
  const stop = rowStop()
  const act = () => void showOlder().catch(({ message }: Error) => say('requests', message, 'bad'))
  const older = rows.length + unseen < (state.tally?.matched ?? 0)
  return view`<table id="log">
      <thead><tr>${columns.map((name) => view`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody id="rows" @keydown=${moveInRows} @click=${openRow} @focusin=${rememberRow}>
        ${keyed(rows, 'number', (request) => requestRow(request, when, request.number === stop))}
      </tbody>
    </table>${older && view`<p class="older">${plainButton('Show older requests', act, 'older')}</p>`}`
}

/** A request in the list: one link, which opens it; of a record that cannot be read, a row that says so. */
export function requestRow(request: LoggedRequest, when: Times, isStop: boolean): View {
  const { number, at, method, status, endpoint, account_id: account, cost } = request
  const opener = (text: View) => view`<a href=${linkTo({ request: number })} data-number=${number}
    tabindex=${isStop ? 0 : -1} aria-current=${addressed('request') === `${number}` && 'true'}>${text}</a>`
  try {
    return view`<tr class=${toneOf(request)}><td>${opener(when.precise(at))}</td><td>${shown(method, 32)}</td>
      <td><span class="pill">${Number(status)}</span></td><td>${shown(endpoint, 160)}</td>
      <td>${shown(account ?? 'none')}</td><td>${Number(cost)}</td><td>${briefReason(request)}</td></tr>`
  } catch {
    return view`<tr class="bad"><td>${opener(number)}</td><td colspan="6">This record cannot be read</td></tr>`
  }
}

/** What the rows' colours mean; the status and the last column say it in words. */
function toneOf({ status, fault }: LoggedRequest): string {
  if (fault !== undefined) return 'struck'
  if (status === 429 || status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}

function tallyText({ tally }: PageState): string {
  const { matched = 0, kept = 0, dropped = 0 } = tally ?? {}
  const all = `${isFiltered() ? `${matched.toLocaleString('en')} of ` : ''}${kept.toLocaleString('en')}`
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
  ['search', 'Search', 'text of headers, names, reasons'],
  ['method', 'Method', 'POST'],
  ['status', 'Status', '4xx'],
  ['path', 'Path', '/api/uploads/*'],
  ['account_id', 'Account', '1'],
  ['since', 'Since', '2026-01-15T12:00:00Z'],
] as const

function filterForm(): View {
  const fault = addressed('fault')
  const finding = addressed('finding')
  const numbered = /^\d+$/.test(fault ?? '') ? fault : undefined
  const given = filterFields.map(
    ([name, label, placeholder]): FormField => ({ name, label, placeholder, value: addressed(name) }),
  )
  const own = filterNames.filter((name) => name !== 'finding')
  const changes = (form: FormData) => ({
    request: null,
    ...Object.fromEntries(own.map((name) => [name, typed(form, name)])),
  })
  return searchForm(
    'Requests',
    changes,
    'row filter',
    view`${fields('filter', given)}
      ${check('refused', 'true', addressed('refused') !== undefined, 'refused only')}
      ${check('fault', numbered ?? 'any', fault !== undefined, numbered ? `struck by fault ${numbered}` : 'fault struck')}
      <button>Filter</button>
      ${isFiltered() && link('Clear', withoutFilter)}
      ${finding !== undefined && view`<span class="pill">only ${finding.replaceAll('_', ' ')}</span>`}`,
  )
}

function check(name: string, value: string, checked: boolean, text: string): View {
  return view`<label class="check"><input type="checkbox" name=${name} value=${value} ?checked=${checked}> ${text}</label>`
}

function nothingListed(state: PageState): View {
  const { tally, connection } = state
  if (tally === undefined || (!isFiltered() && tally.kept > 0)) return ''
  if (isFiltered()) {
    const clear = link('Clear filter', withoutFilter, { class: 'button' })
    return view`<div id="no-requests" class="stack"><p>No request matches the filter.</p><p>${clear}</p></div>`
  }
  const first = `curl -H 'X-Api-Key: ${connection?.api_key ?? 'KEY'}' ${location.origin}/api/stats`
  return view`<div id="no-requests" class="stack">
    <p><strong>No requests yet.</strong> Send one:</p>
    <pre tabindex="0" role="region" aria-label="A first request">${first}</pre>
    ${copyButton('Copy the command', () => first)}
    <p>Or let fh, your tests and your program use this emulator:</p>
    ${environment(state)}
  </div>`
}
