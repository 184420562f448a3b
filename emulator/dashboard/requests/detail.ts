import { type EtiquetteFact, etiquetteOf } from '../../control/etiquette-report.ts'
import { readLoggedHeaders } from '../../service/logged-headers.ts'
import { type Html, html } from '../../site/html/html.ts'
import type { RequestFile, RequestRecord } from '../../storage/records.ts'
import { linkTo } from '../form.ts'
import type { View } from '../section.ts'
import { shown, type Times, timesIn } from '../shown.ts'
import { readListFilter } from './filter.ts'
import { pathFilter } from './row.ts'
import { whyText } from './why.ts'

/** One request whole, named by `request` in the page's address. Nothing if none is named. */
export function detailAside(view: View): Html | false {
  const named = view.query.get('request')
  if (named === null) return false
  const number = Number(named)
  const request = view.journal.find(number)
  const close = html`<a href="${linkTo(view, { request: null }, 'requests')}">Close</a>`
  if (request === undefined) {
    return html`<aside id="request" aria-label="One request"><h3>Request ${shown(named, 20)}</h3><p>The log does not have it any longer: it was cleared or dropped.</p><p>${close}</p></aside>`
  }
  try {
    return whole(view, number, request, close)
  } catch (error) {
    return html`<aside id="request" aria-label="One request"><h3>Request ${number}</h3><p>Its record cannot be read: ${shown(
      error instanceof Error ? error.message : error,
    )}</p><pre>${shown(request, 4_000)}</pre><p>${close}</p></aside>`
  }
}

function whole(view: View, number: number, request: RequestRecord, close: Html): Html {
  const { control, journal } = view
  const times = timesIn(control.settings.get().timezone, Date.parse(control.clock.get().now))
  return html`<aside id="request" aria-label="One request">
<h3>${shown(request.method, 32)} ${shown(request.endpoint, 300)}</h3>
<p class="why ${request.status < 400 ? 'ok' : 'bad'}">${whyText(request, times)}</p>
<p class="row">${neighbours(view, number)}<a href="${armLink(view, request)}">Arm a fault for the next such request</a> ${close}</p>
${etiquetteOf(request, journal.all()).map((fact) => finding(fact, times))}
<dl>${facts(view, number, request, times)}</dl>
${headersOf(request)}</aside>`
}

/** The next newer and older requests that match the filter. */
function neighbours(view: View, number: number): Html {
  const { matches } = readListFilter(view.query)
  const first = (requests: Iterable<readonly [number, RequestRecord]>) => {
    for (const [found, request] of requests) if (matches(request)) return found
    return undefined
  }
  const link = (to: number | undefined, text: string) =>
    to === undefined
      ? html`<span class="soft">${text}</span> `
      : html`<a href="${linkTo(view, { request: to }, 'request')}">${text}</a> `
  return html`${link(first(view.journal.before(number)), 'Previous')}${link(first(view.journal.after(number)), 'Next')}`
}

/** Fills in the form of the section Faults. */
function armLink(view: View, { method, endpoint, accountId }: RequestRecord): string {
  const match = { arm_method: shown(method, 32), arm_path: pathFilter(endpoint), arm_account_id: accountId ?? null }
  return linkTo(view, match, 'fault-form')
}

function finding({ kind, advice, dueAt, storedAt }: EtiquetteFact, times: Times): Html {
  const due = dueAt === undefined ? '' : ` It was due at ${times.second(dueAt)}.`
  const stored = storedAt === undefined ? '' : ` The same bytes were stored at ${times.second(storedAt)}.`
  return html`<p class="finding"><strong>${kind.replaceAll('_', ' ')}</strong>: ${advice}.${due}${stored}</p>`
}

const keyWords: Readonly<Record<string, string>> = {
  header: 'in the X-Api-Key header',
  query: 'in the query, where logs and histories keep it',
  none: 'none found',
}

/** Each value that the list can be filtered by is a link that does so. */
function facts(view: View, number: number, request: RequestRecord, times: Times): readonly Html[] {
  const { status, at, cost, accountId, keyIn, fault, faultId, file, clientIp } = request
  const filterBy: FilterBy = (changes, text) => html`<a href="${linkTo(view, changes, 'requests')}">${text}</a>`
  const account = accountId ?? 'none'
  return [
    fact('Number', `${number}`),
    fact('Arrived', html`${times.precise(Number(at))} <span class="soft">${isoText(at)}</span>`),
    fact('Status', filterBy({ status: Number(status) }, `${Number(status)}`)),
    fact('Method', filterBy({ method: shown(request.method, 32) }, shown(request.method, 32))),
    fact('Path', filterBy({ path: pathFilter(request.endpoint) }, shown(request.endpoint, 2_100))),
    fact('Account', filterBy({ account_id: account }, `${account}`)),
    fact('Key', keyWords[keyIn] ?? shown(keyIn)),
    fact('Charged', `${Number(cost)} ${cost === 1 ? 'unit' : 'units'} to each window`),
    fact('Client', shown(clientIp)),
    ...(fault === undefined ? [] : [fact('Fault', struckBy(fault, faultId, filterBy))]),
    ...(file == null ? [] : [fact('File', fileText(file))]),
  ]
}

type FilterBy = (changes: Record<string, string | number>, text: string) => Html

function struckBy(fault: string, id: number | undefined, filterBy: FilterBy): Html {
  const number = id !== undefined && html`, ${filterBy({ fault: id }, `number ${id}`)}`
  return html`${filterBy({ fault: 'any' }, shown(fault))}${number}`
}

function fileText({ name, size, sha256 }: RequestFile): Html {
  return html`${shown(name, 1_100)}, ${Number(size).toLocaleString('en')} bytes<br><code>${shown(sha256)}</code>`
}

function fact(name: string, value: Html | string): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`
}

function isoText(at: unknown): string {
  const date = new Date(Number(at))
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

/** The log has them without secrets. */
function headersOf({ headers }: RequestRecord): Html {
  const pairs = [...readLoggedHeaders(headers)].filter(([name]) => name !== '')
  if (pairs.length === 0) return html`<p class="soft">The log has no headers of this request.</p>`
  return html`<table class="headers"><caption>Headers, without secrets</caption><tbody>${pairs.map(
    ([name, value]) => html`<tr><th scope="row">${shown(name, 100)}</th><td>${shown(value, 1_100)}</td></tr>`,
  )}</tbody></table>`
}
