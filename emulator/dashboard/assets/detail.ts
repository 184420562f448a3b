import type { ExchangeInfo, RequestDetail } from '../../control/request-detail.ts'
import { addressed, type Changes, link, withoutFilter } from './address.ts'
import { CallRefusal, call, silence } from './api.ts'
import { bodyShown } from './bodies.ts'
import { curlOf, faultOf, testOf } from './copies.ts'
import { type Child, h, headOf } from './dom.ts'
import { armFor } from './faults.ts'
import { copyButton, plainButton } from './forms.ts'
import { besideRow } from './rows.ts'
import { shown } from './shown.ts'
import { known, redraw, times } from './view.ts'
import { whyText } from './why.ts'

/** Whether nothing answered when the request was asked for. */
let isUnanswered = false

/** Asks for the request that the page's address names. */
export async function askDetail(): Promise<void> {
  const number = addressed('request')
  delete known.detail
  isUnanswered = false
  redraw('requests')
  if (number === undefined) return
  const detail = await call<RequestDetail>('GET', `/requests/${encodeURIComponent(number)}`).catch((error: Error) =>
    error instanceof CallRefusal && error.status === 0 ? undefined : null,
  )
  if (addressed('request') !== number) return
  isUnanswered = detail === undefined
  if (detail !== undefined) known.detail = detail
  redraw('requests')
}

/** Call once the emulator answers again. */
export function askDetailAgain(): void {
  if (isUnanswered) void askDetail()
}

/** One request whole, beside the list. */
export function requestAside(): Child {
  const number = addressed('request')
  if (number === undefined) return false
  const { detail } = known
  const close = link('Close', { request: null }, 'requests', { class: 'button quiet', id: 'close-request' })
  const frame = (...content: readonly Child[]) =>
    h('aside', { id: 'request', 'aria-label': 'One request', tabindex: 0 }, ...content)
  if (detail === undefined || detail === null) {
    const gone = detail === null && h('p', 'The log does not have it any longer: it was cleared or dropped.')
    const unanswered = isUnanswered && h('p.problem', `${silence} It is shown when the page is live again.`)
    return frame(h('div.row', h('h3', `Request ${shown(number, 20)}`), close), gone, unanswered)
  }
  try {
    return frame(whole(detail, close))
  } catch (error) {
    return frame(close, h('p', `Its record cannot be read: ${error}`), h('pre', { tabindex: 0 }, shown(detail, 4_000)))
  }
}

function whole(detail: RequestDetail, close: Child): Child {
  const { method, endpoint, status, exchange, headers } = detail
  const request = exchange?.request_body ?? null
  const response = exchange?.response ?? null
  return [
    h('div.row.head', h('h3', `${shown(method, 32)} ${shown(endpoint, 300)}`), neighbours(detail.number), close),
    h('p', { class: `notice ${status < 400 ? 'good' : 'bad'}` }, whyText(detail, times())),
    h(
      'div.row',
      copyButton('Copy as curl', () => curlOf(detail, location.origin)),
      copyButton('Copy as fault', () => faultOf(detail)),
      copyButton('Copy as test', () => testOf(detail)),
      plainButton('Arm a fault for the next such request', () => armFor(detail)),
    ),
    detail.findings.map(({ kind, advice, due_at: due, stored_at: stored }) =>
      h(
        'p.notice.warn',
        h('strong', kind.replaceAll('_', ' ')),
        `: ${advice}.${due === undefined ? '' : ` It was due at ${times().due(due)}.`}`,
        stored !== undefined && ` The same bytes were stored at ${times().second(Date.parse(stored))}.`,
      ),
    ),
    facts(detail),
    exchange?.windows != null && windowTable(exchange.windows),
    h('h4', 'Request'),
    headerTable('Headers of the request, without secrets', headers),
    request !== null && bodyShown(request, headers['content-type'] ?? ''),
    request === null &&
      Number(headers['content-length'] ?? 0) > 0 &&
      exchange !== null &&
      h('p.soft', 'The service answered before it read the body.'),
    h('h4', 'Answer'),
    exchange === null && h('p.soft', 'What was answered is kept for the newest 500 requests of this run.'),
    exchange !== null && response === null && h('p', 'Nothing was answered: the connection broke.'),
    response !== null && headerTable('Headers of the answer', response.headers),
    response?.body != null && bodyShown(response.body, response.headers['Content-Type'] ?? ''),
  ]
}

function neighbours(number: number): Child {
  const { newer, older } = besideRow(number)
  const to = (request: number | undefined, text: string) =>
    request === undefined ? h('span.soft', text) : link(text, { request })
  return h('span.row', to(older, 'Previous'), to(newer, 'Next'))
}

const keyWords: Readonly<Record<string, string>> = {
  header: 'in the X-Api-Key header',
  query: 'in the query, where logs and histories keep it',
  none: 'none found',
}

/** Each value that the list can be filtered by is a link that does so. */
function facts(detail: RequestDetail): Child {
  const { number, at, status, method, endpoint, account_id: account, cost, client_ip: client, exchange, file } = detail
  const by = (changes: Changes, text: string) => link(text, { ...withoutFilter, ...changes })
  const list: (readonly [string, Child])[] = [
    ['Number', number],
    ['Arrived', [times().precise(Date.parse(at)), ' ', h('span.soft', at)]],
    ['Took', exchange === null ? 'not kept' : timeText(exchange)],
    ['Status', by({ status }, `${status}`)],
    ['Method', by({ method }, shown(method, 32))],
    ['Path', by({ path: pathFilter(endpoint) }, shown(endpoint, 2_100))],
    [
      'Query',
      exchange === null ? 'not kept' : exchange.query === '' ? 'none' : h('code', shown(exchange.query, 8_200)),
    ],
    ['Account', by({ account_id: account ?? 'none' }, `${account ?? 'none'}`)],
    ['Key', keyWords[detail.key_in] ?? shown(detail.key_in)],
    ['Charged', `${cost} ${cost === 1 ? 'unit' : 'units'} to each window`],
    ['Client', shown(client)],
  ]
  if (detail.fault !== undefined) {
    const id = detail.fault_id
    list.push([
      'Fault',
      [by({ fault: 'any' }, shown(detail.fault)), id !== undefined && [', ', by({ fault: id }, `number ${id}`)]],
    ])
  }
  if (file !== undefined) {
    list.push([
      'File',
      [`${shown(file.name, 1_100)}, ${file.size.toLocaleString('en')} bytes`, h('br'), h('code', shown(file.sha256))],
    ])
  }
  const rows = list.map(([name, value]) => h('div', h('dt', name), h('dd', value)))
  return h('dl', rows)
}

/** A path as a filter; a long one as the beginning of it. */
function pathFilter(path: string): string {
  return path.length > 80 ? `${path.slice(0, 80)}*` : path
}

/** How long it took, and how much of it was meant. */
function timeText({ duration_ms: ms, soft_delay_ms: soft, fault_delay_ms: fault }: ExchangeInfo): string {
  const delays = [soft > 0 && `${soft} ms were a soft delay`, fault > 0 && `${fault} ms a fault`].filter(Boolean)
  return `${ms < 10 ? ms : Math.round(ms)} ms${delays.length === 0 ? '' : `; of the service’s time ${delays.join(' and ')}`}`
}

function windowTable(windows: NonNullable<ExchangeInfo['windows']>): Child {
  const rows = Object.entries(windows).map(([name, { limit, before, after }]) =>
    h('tr', h('th', { scope: 'row' }, name), h('td', before), h('td', after), h('td', limit ?? 'unlimited')),
  )
  const head = headOf('Window', 'Before', 'After', 'Limit')
  return h('table.windows', h('caption', 'Units used'), head, h('tbody', rows))
}

function headerTable(caption: string, headers: Readonly<Record<string, string>>): Child {
  const rows = Object.entries(headers).map(([name, value]) =>
    h('tr', h('th', { scope: 'row' }, shown(name, 100)), h('td', shown(value, 1_100))),
  )
  return h('table.headers', h('caption', caption), h('tbody', rows))
}
