import type { LoggedRequest } from '../../storage/records.ts'
import { filterNames, filterQuery } from './address.ts'
import { call, controlPath } from './api.ts'
import { askConnection, askDetail, askFindings } from './asks.ts'
import { showProblems } from './fields.ts'
import { type CallRefusal, problemsIn } from './input.ts'
import { happen } from './log.ts'
import { later } from './page-clock.ts'
import { change, type Live, state } from './store.ts'

const parts: readonly (keyof Live)[] = ['clock', 'faults', 'settings', 'state', 'quota', 'accounts', 'tally']

let source: EventSource | undefined
let run: string | undefined
let era: number | undefined
/** Milliseconds until the next try, after the server closed the stream. */
let patience = 1_000

/** The query that the stream depends on. */
export const streamQuery = () => filterQuery('quota_of', 'find', 'accounts_from')

/** The one stream of a page: it lives again by itself, whatever ends it. */
export function openStream(): void {
  source?.close()
  if (document.hidden) return
  const query = new URLSearchParams(streamQuery())
  query.set('after', `${state.log.last}`)
  if (era !== undefined) query.set('era', `${era}`)
  const opened = new EventSource(`${controlPath}/events?${query}`)
  source = opened
  const on = <Data>(event: string, take: (data: Data) => void) =>
    opened.addEventListener(event, ({ data }) => take(JSON.parse(data)))
  on('start', begin)
  on('polling', () => happen({ kind: 'polling' }))
  on('request', (request: LoggedRequest) => happen({ kind: 'row', request }))
  on('missed', (count: number) => happen({ kind: 'missed', count }))
  on('reset', beginAgain)
  for (const name of parts) on(name, (data) => change({ [name]: data }))
  opened.onerror = () => {
    happen({ kind: 'lost' })
    if (opened.readyState !== EventSource.CLOSED || opened !== source) return
    void call('GET', `/requests?limit=1&${streamQuery()}`).catch(whyClosed)
  }
}

function begin(start: { readonly run: string; readonly version: string; readonly last: number; readonly era: number }) {
  const isOther = run !== undefined && run !== start.run
  // Another version of the emulator has another page.
  if (isOther && start.version !== state.state?.version) return location.reload()
  run = start.run
  patience = 1_000
  if (isOther) return beginAgain(start.era)
  era ??= start.era
  happen({ kind: 'connected', last: start.last })
  // It was opened while nothing answered.
  if (typeof state.detail === 'string') void askDetail()
}

/** What was shown of the log is worth nothing any more. */
function beginAgain(now: number): void {
  era = now
  happen({ kind: 'forgotten' })
  void askConnection()
  void askDetail()
  askFindings()
  openStream()
}

/** A stream that is refused gives no reason; the same question by itself does. */
function whyClosed({ status, message }: CallRefusal) {
  const isFilter = (name: string) => (filterNames as readonly string[]).includes(name)
  if (status === 422) return showProblems('filter', problemsIn(message, isFilter))
  // The control token is asked for by the page's own form.
  if (status === 401 || status === 403) return location.reload()
  later(patience, openStream)
  patience = Math.min(patience * 2, 30_000)
}

/** A page that cannot be seen costs the emulator nothing. */
export function followVisibility(): void {
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) return openStream()
    source?.close()
    happen({ kind: 'lost' })
  })
}
