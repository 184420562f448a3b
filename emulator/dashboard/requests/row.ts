import { type Html, html } from '../../site/html/html.ts'
import type { RequestRecord } from '../../storage/records.ts'
import { linkTo } from '../form.ts'
import type { View } from '../section.ts'
import { shown, type Times, timesIn } from '../shown.ts'
import { briefReason } from './reasons.ts'

/** Longer paths are cut in the list; the filter of their link then matches what begins like them. */
const mostPath = 80

/** What many rows have in common. */
export interface Look {
  readonly view: View
  readonly times: Times
}

export function lookAt(view: View): Look {
  const { clock, settings } = view.control
  return { view, times: timesIn(settings.get().timezone, Date.parse(clock.get().now)) }
}

/** A request in the list; of a record that cannot be read, a row that says so: the others are shown as usual. */
export function requestRow(look: Look, number: number, request: RequestRecord): Html {
  try {
    return readableRow(look, number, request)
  } catch {
    const link = html`<a href="${linkTo(look.view, { request: number }, 'request')}">${number}</a>`
    return html`<tr class="bad"><td>${link}<td colspan="6">This record cannot be read`
  }
}

/** Each value but the time, which opens the request, filters by itself. */
function readableRow({ view, times }: Look, number: number, request: RequestRecord): Html {
  const { status, at, accountId, cost } = request
  const method = shown(request.method, 32)
  const account = accountId ?? 'none'
  const reason = briefReason(request)
  const isOpen = view.query.get('request') === String(number)
  const tone = toneOf(request)
  return html`<tr${tone !== '' && html` class="${tone}"`}><td><a href="${linkTo(view, { request: number }, 'request')}"${
    isOpen && html` aria-current="true"`
  }>${times.precise(Number(at))}</a><td><a href="${linkTo(view, { method })}">${method}</a><td><a href="${linkTo(view, {
    status: Number(status),
  })}">${Number(status)}</a><td><a href="${linkTo(view, { path: pathFilter(request.endpoint) })}">${shown(
    request.endpoint,
    mostPath,
  )}</a><td><a href="${linkTo(view, { account_id: account })}">${account}</a><td>${Number(cost)}<td>${reason}`
}

/** What the rows' colours mean; the status and the last column say it in words. */
function toneOf({ status, fault }: RequestRecord): string {
  if (fault !== undefined) return 'struck'
  if (status === 429) return 'full'
  return status >= 500 ? 'bad' : status >= 400 ? 'warn' : ''
}

/** A path as a filter; a long one as the beginning of it. */
export function pathFilter(path: unknown): string {
  const text = String(path ?? '')
  return text.length > mostPath ? `${text.slice(0, mostPath)}*` : text
}
