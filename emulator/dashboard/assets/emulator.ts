import { parseJson } from '../../../src/checks/json.ts'
import type { EtiquetteReport } from '../../control/etiquette-report.ts'
import type { RequestDetail } from '../../control/request-detail.ts'
import type { LoggedRequest } from '../../storage/record-types.ts'
import { addressed, filterNames, queryOf } from './address.ts'
import { CallRefusal, problemsIn } from './input.ts'
import { connected, forgotten, type LogState, lost, missed, withRow } from './log.ts'
import { later } from './page-clock.ts'
import { change, showProblem, state } from './store.ts'

export const controlPath = '/_emulator'

const silence = 'The emulator does not answer. It may have ended.'

/**
 * One call of the control API.
 * @param body an object, or JSON as text
 * @throws CallRefusal
 */
export async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const proof = document.querySelector('main')?.dataset['proof'] ?? ''
  const headers = { 'X-Emulator-Page': proof, ...(body !== undefined && { 'Content-Type': 'application/json' }) }
  const sent = typeof body === 'string' ? body : body === undefined ? null : JSON.stringify(body)
  const answer = await fetch(controlPath + path, { method, headers, body: sent }).catch(() => {
    throw new CallRefusal(`${silence} What was typed stays here: start it again, then press again.`, 0)
  })
  const json = parseJson(await answer.text())
  if (answer.ok) return json as Answer
  const { error } = (json ?? {}) as { error?: { message?: string } }
  throw new CallRefusal(error?.message ?? `The emulator answered ${answer.status}.`, answer.status)
}

/** Asks for the request that the page's address names. */
export async function askDetail(): Promise<void> {
  const number = addressed('request')
  change({ detail: undefined })
  if (number === undefined) return
  const detail = await call<RequestDetail>('GET', `/requests/${encodeURIComponent(number)}`).catch(
    ({ status }: CallRefusal) =>
      status === 0
        ? `${silence} It is shown when the page is live again.`
        : 'The log does not have it any longer: it was cleared or dropped.',
  )
  if (addressed('request') === number) change({ detail })
}

let isAsked = false

/** The sums of the etiquette report, every two seconds at most. */
export function askFindings(): void {
  if (isAsked) return
  isAsked = true
  later(300, async () => {
    const report = await call<EtiquetteReport>('GET', '/report?limit=0').catch(() => undefined)
    if (report !== undefined) change({ findings: report.findings })
    later(2_000, () => {
      isAsked = false
    })
  })
}

/** The tables of settings and faults never change while the emulator runs. */
async function askTypes(): Promise<void> {
  const ask = (path: string) => call('GET', path).catch(() => undefined)
  change({ settingTypes: await ask('/settings/types'), faultTypes: await ask('/faults/types') } as object)
}

const parts = 'clock faults settings state quota accounts connection tally'.split(' ')

let source: EventSource | undefined
let run: string | undefined
let era: number | undefined
/** Milliseconds until the next try, after the server closed the stream. */
let patience = 1_000
/** Of the page’s address: the request that is open, what the stream is asked for, and that without a wrong filter. */
let [opened, followed, asked]: (string | undefined)[] = []

const streamNames = ['quota_of', 'find', 'accounts_from']

/** What the page’s address names is asked for: another request, another part of the log. */
export function followAddress(): void {
  const [request, query] = [addressed('request'), queryOf([...streamNames, ...filterNames])]
  if (request !== opened) {
    opened = request
    void askDetail()
  }
  if (query === followed) return
  if (followed !== undefined) log(forgotten)
  followed = query
  asked = query
  showProblem('filter')
  openStream()
}

const log = <Given extends readonly unknown[]>(next: (log: LogState, ...given: Given) => LogState, ...given: Given) =>
  change({ log: next(state.log, ...given) })

/** The one stream of a page: it lives again by itself, whatever ends it. A page that cannot be seen has none. */
export function openStream(): void {
  source?.close()
  if (document.hidden) {
    log(lost)
    return
  }
  const query = new URLSearchParams(asked)
  query.set('after', `${state.log.last}`)
  if (era !== undefined) query.set('era', `${era}`)
  const opened = new EventSource(`${controlPath}/events?${query}`)
  source = opened
  const on = <Data>(event: string, take: (data: Data) => void) =>
    opened.addEventListener(event, ({ data }) => take(JSON.parse(data)))
  on('start', begin)
  on('polling', () => log((log) => ({ ...log, connection: 'polling' })))
  on('request', (request: LoggedRequest) => log(withRow, request))
  on('missed', (count: number) => log(missed, count))
  on('reset', beginAgain)
  for (const name of parts) on(name, (data) => change({ [name]: data }))
  opened.onerror = () => {
    log(lost)
    if (opened.readyState !== EventSource.CLOSED || opened !== source) return
    void call('GET', `/requests?limit=1&${queryOf()}`).then(tryLater, whyClosed)
  }
}

function begin(start: { readonly run: string; readonly version: string; readonly last: number; readonly era: number }) {
  const isOther = run !== undefined && run !== start.run
  // Another version of the emulator has another page.
  if (isOther && start.version !== state.state?.version) return location.reload()
  run = start.run
  patience = 1_000
  if (state.faultTypes === undefined) void askTypes()
  if (isOther) return beginAgain(start.era)
  era ??= start.era
  log(connected, start.last)
  // It was opened while nothing answered.
  if (typeof state.detail === 'string') void askDetail()
}

/** What was shown of the log is worth nothing any more. */
function beginAgain(now: number): void {
  era = now
  log(forgotten)
  void askDetail()
  askFindings()
  openStream()
}

function tryLater(): void {
  later(patience, openStream)
  patience = Math.min(patience * 2, 30_000)
}

/** A stream that is refused gives no reason; the same question by itself does. */
function whyClosed({ status, message }: CallRefusal) {
  // The control token is asked for by the page's own form.
  if (status === 401 || status === 403) return location.reload()
  if (status !== 422 || asked !== followed) return tryLater()
  const byField = problemsIn(message, (name) => document.getElementById(`filter-${name}`) !== null)
  showProblem('filter', { byField, ...(byField.size === 0 && { message }) })
  // All but the log is shown.
  asked = `${queryOf(streamNames)}&since=9000-01-01T00:00:00Z`
  openStream()
}
