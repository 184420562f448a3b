import { counted } from '../../../src/protocol/quantities.ts'
import type { ExchangeInfo, RequestDetail } from '../../control/request-detail.ts'
import { addressed, type Changes, link, withoutFilter } from './address.ts'
import { bodyView } from './bodies.ts'
import { copyButton, plainButton } from './buttons.ts'
import { curlOf, faultOf, testOf } from './copies.ts'
import { armFor } from './faults.ts'
import { shown, type Times } from './shown.ts'
import { type PageState, times } from './store.ts'
import { type View, view } from './view.ts'
import { whyText } from './why.ts'

/** One request whole, beside the list. */
export function requestAside(state: PageState): View {
  return view`<aside id="request" class="stack" aria-label="One request" tabindex="0">${content(state)}</aside>`
}

function content(state: PageState): View {
  const { detail } = state
  const close = link('Close', { request: null }, { anchor: 'requests', class: 'button quiet' })
  if (typeof detail !== 'object' || detail === null) {
    const gone = 'The log does not have it any longer: it was cleared or dropped.'
    const said = detail === null ? gone : detail && `${detail} It is shown when the page is live again.`
    return view`<div class="row head"><h3>Request ${shown(addressed('request'), 20)}</h3>${close}</div><p>${said}</p>`
  }
  try {
    return whole(detail, view`${neighbours(detail.number, state)}${close}`, times(state))
  } catch (error) {
    return view`${close}<p>Its record cannot be read: ${String(error)}</p><pre tabindex="0">${shown(detail, 4_000)}</pre>`
  }
}

function whole(detail: RequestDetail, links: View, when: Times): View {
  const { method, endpoint, status, exchange, headers, findings } = detail
  const { request_body: sent = null, response } = exchange ?? {}
  const isUnread = exchange !== null && sent === null && Number(headers['content-length'] ?? 0) > 0
  return view`<div class="row head"><h3>${shown(method, 32)} ${shown(endpoint, 300)}</h3>${links}</div>
    <p class=${`notice ${status < 400 ? 'good' : 'bad'}`}>${whyText(detail, when)}</p>
    <div class="row">
      ${copyButton('Copy as curl', () => curlOf(detail, location.origin))}
      ${copyButton('Copy as fault', () => faultOf(detail))}
      ${copyButton('Copy as test', () => testOf(detail))}
      ${plainButton('Arm a fault for the next such request', () => armFor(detail))}
    </div>
    ${findings.map(({ kind, advice, due_at: due, stored_at: stored }) => {
      const more = due === undefined ? '' : ` It was due at ${when.due(due)}.`
      const same = stored === undefined ? '' : ` The same bytes were stored at ${when.second(stored)}.`
      return view`<p class="notice warn"><strong>${kind.replaceAll('_', ' ')}</strong>: ${advice}.${more}${same}</p>`
    })}
    <dl>${facts(detail, when).map(([name, value]) => view`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    ${exchange?.windows != null && windowTable(exchange.windows)}
    <h4>Request</h4>
    ${headerTable('Headers of the request, without secrets', headers)}
    ${sent !== null && bodyView(sent, headers['content-type'])}
    ${isUnread && view`<p class="soft">The service answered before it read the body.</p>`}
    <h4>Answer</h4>
    ${exchange === null && view`<p class="soft">What was answered is kept for the newest 500 requests of this run.</p>`}
    ${response === null && view`<p>Nothing was answered: the connection broke.</p>`}
    ${response != null && headerTable('Headers of the answer', response.headers)}
    ${response?.body != null && bodyView(response.body, response.headers['Content-Type'])}`
}

/** The newer and the older row of the list. */
function neighbours(number: number, { log: { rows } }: PageState): View {
  const at = rows.findIndex((row) => row.number === number)
  const to = (by: number, text: string) => {
    const row = at === -1 ? undefined : rows[at + by]
    return row === undefined ? view`<span class="soft">${text}</span>` : link(text, { request: row.number })
  }
  return view`${to(1, 'Previous')} ${to(-1, 'Next')}`
}

/** Each value that the list can be filtered by is a link that does so. */
function facts(detail: RequestDetail, when: Times): readonly (readonly [name: string, value: View])[] {
  const { at, status, method, endpoint, account_id: account, exchange, fault, fault_id: id, file } = detail
  const by = (changes: Changes, text: string) => link(text, { ...withoutFilter, ...changes })
  const path = endpoint?.length > 80 ? `${endpoint.slice(0, 80)}*` : endpoint
  const query = exchange === null ? 'not kept' : exchange.query && view`<code>${shown(exchange.query, 8_200)}</code>`
  const struck = fault !== undefined && [
    by({ fault: 'any' }, shown(fault)),
    id && [', ', by({ fault: id }, `number ${shown(id)}`)],
  ]
  return [
    ['Number', detail.number],
    ['Arrived', view`${when.precise(at)} <span class="soft">${shown(at)}</span>`],
    ['Took', exchange === null ? 'not kept' : timeText(exchange)],
    ['Status', by({ status }, shown(status))],
    ['Method', by({ method }, shown(method, 32))],
    ['Path', by({ path }, shown(endpoint, 2_100))],
    ['Query', query || 'none'],
    ['Account', by({ account_id: account ?? 'none' }, shown(account ?? 'none'))],
    ['Key in', shown(detail.key_in)],
    ['Charged', `${counted(Number(detail.cost), 'unit')} to each window`],
    ['Client', shown(detail.client_ip)],
    ...(struck ? [['Fault', struck] as const] : []),
    ...(file ? [['File', fileText(file)] as const] : []),
  ]
}

function fileText({ name, size, sha256 }: NonNullable<RequestDetail['file']>): View {
  return view`${shown(name, 1_100)}, ${Number(size).toLocaleString('en')} bytes<br><code>${shown(sha256)}</code>`
}

/** How long it took, and how much of it was meant. */
function timeText({ duration_ms: ms, soft_delay_ms: soft, fault_delay_ms: fault }: ExchangeInfo): string {
  const delays = [soft > 0 && `${soft} ms were a soft delay`, fault > 0 && `${fault} ms a fault`].filter(Boolean)
  const meant = delays.length === 0 ? '' : `; of the service’s time ${delays.join(' and ')}`
  return `${ms < 10 ? ms : Math.round(ms)} ms${meant}`
}

function windowTable(windows: NonNullable<ExchangeInfo['windows']>): View {
  const rows = Object.entries(windows).map(
    ([name, { limit, before, after }]) => [name, before, after, limit ?? 'unlimited'] as const,
  )
  return table('Units used', rows, ['Window', 'Before', 'After', 'Limit'])
}

function headerTable(caption: string, headers: Readonly<Record<string, string>>): View {
  return table(
    caption,
    Object.entries(headers).map(([name, value]) => [shown(name, 100), shown(value, 1_100)]),
  )
}

function table(caption: string, rows: readonly (readonly View[])[], heads: readonly string[] = []): View {
  const head = heads.map((name) => view`<th scope="col">${name}</th>`)
  const lines = rows.map(([name, ...cells]) => {
    return view`<tr><th scope="row">${name}</th>${cells.map((cell) => view`<td>${cell}</td>`)}</tr>`
  })
  return view`<table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>${lines}</tbody></table>`
}
