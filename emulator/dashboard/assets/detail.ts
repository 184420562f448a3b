import { counted } from '../../../src/protocol/quantities.ts'
import type { ExchangeInfo, RequestDetail } from '../../control/request-detail.ts'
import { addressed, type Changes, link, withoutFilter } from './address.ts'
import { bodyView } from './bodies.ts'
import { copyButton, plainButton } from './buttons.ts'
import { curlOf } from './copies.ts'
import { armFor } from './faults.ts'
import { shown, type Times, times } from './shown.ts'
import type { PageState } from './store.ts'
import { type View, view } from './view.ts'
import { whyText } from './why.ts'

/** One request whole, beside the list. */
export function requestAside(page: PageState): View {
  const { detail } = page
  const isKnown = typeof detail === 'object'
  const name = isKnown
    ? `${shown(detail.method, 32)} ${shown(detail.endpoint, 300)}`
    : `Request ${shown(addressed('request'), 20)}`
  const close = link('Close', { request: null }, { anchor: 'requests', class: 'button quiet' })
  return view`<aside id="request" class="stack" aria-label="One request" tabindex="0">
    <div class="row"><h3>${name}</h3>${close}</div>${isKnown ? whole(detail, times(page)) : view`<p>${detail}</p>`}</aside>`
}

function whole(detail: RequestDetail, when: Times): View {
  const { status, exchange, headers, findings } = detail
  const { request_body: sent = null, response } = exchange ?? {}
  const isUnread = exchange !== null && sent === null && Number(headers['content-length'] ?? 0) > 0
  return view`<p class=${`notice ${status < 400 ? 'good' : 'bad'}`}>${whyText(detail, when)}</p>
    <div class="row">
      ${copyButton('Copy as curl', () => curlOf(detail, location.origin))}
      ${plainButton('Arm a fault for the next such request', () => armFor(detail))}
    </div>
    ${findings.map(({ kind, advice, due_at: due, stored_at: stored }) => {
      const more = due === undefined ? '' : ` It was due at ${when.due(due)}.`
      const same = stored === undefined ? '' : ` The same bytes were stored at ${when.second(stored)}.`
      return view`<p class="notice warn"><strong>${kind.replaceAll('_', ' ')}</strong>: ${advice}.${more}${same}</p>`
    })}
    <dl>${facts(detail, when).map(([name, value]) => value !== '' && view`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    ${exchange?.windows != null && windowTable(exchange.windows)}
    <h4>Request</h4>
    ${headerTable('Headers of the request, without secrets', headers)}
    ${sent !== null && bodyView(sent)}
    ${isUnread && view`<p class="soft">The service answered before it read the body.</p>`}
    <h4>Answer</h4>
    ${exchange === null && view`<p class="soft">What was answered is kept for the newest 500 requests of this run.</p>`}
    ${response === null && view`<p>Nothing was answered: the connection broke.</p>`}
    ${response != null && headerTable('Headers of the answer', response.headers)}
    ${response?.body != null && bodyView(response.body)}`
}

/** Each value that the list can be filtered by is a link that does so. Those with an empty text are not shown. */
function facts(detail: RequestDetail, when: Times): readonly (readonly [name: string, value: View])[] {
  const { at, status, method, endpoint, account_id: account, exchange, fault, fault_id: id, file } = detail
  const by = (changes: Changes, text: string) => link(text, { ...withoutFilter, ...changes })
  const path = endpoint.length > 80 ? `${endpoint.slice(0, 80)}*` : endpoint
  return [
    ['Number', detail.number],
    ['Arrived', view`${when.precise(at)} <span class="soft">${at}</span>`],
    ['Took', exchange === null ? 'not kept' : timeText(exchange)],
    ['Status', by({ status }, `${status}`)],
    ['Method', by({ method }, shown(method, 32))],
    ['Path', by({ path }, shown(endpoint, 2_100))],
    ['Query', exchange === null ? 'not kept' : shown(exchange.query || 'none', 8_200)],
    ['Account', by({ account_id: account ?? 'none' }, `${account ?? 'none'}`)],
    ['Key in', detail.key_in],
    ['Charged', `${counted(detail.cost, 'unit')} to each window`],
    ['Client', shown(detail.client_ip)],
    [
      'Fault',
      fault === undefined
        ? ''
        : by({ fault: id ?? 'any' }, `${shown(fault)}${id === undefined ? '' : `, number ${id}`}`),
    ],
    [
      'File',
      file === undefined
        ? ''
        : view`${shown(file.name, 1_100)}, ${counted(file.size, 'byte')}<br><code>${file.sha256}</code>`,
    ],
  ]
}

/** How long it took, and how much of it was meant. */
function timeText({ duration_ms: ms, soft_delay_ms: soft, fault_delay_ms: fault }: ExchangeInfo): string {
  const delays = [soft > 0 && `${soft} ms were a soft delay`, fault > 0 && `${fault} ms a fault`].filter(Boolean)
  const meant = delays.length === 0 ? '' : `; of the service’s time ${delays.join(' and ')}`
  return `${ms < 10 ? ms : Math.round(ms)} ms${meant}`
}

function windowTable(windows: NonNullable<ExchangeInfo['windows']>): View {
  const rows = Object.entries(windows).map(([name, { limit, before, after }]) => [
    name,
    before,
    after,
    limit ?? 'unlimited',
  ])
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
