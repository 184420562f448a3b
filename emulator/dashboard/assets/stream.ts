import type { LoggedRequest } from '../../storage/records.ts'
import { streamQuery } from './address.ts'
import { CallRefusal, call, controlPath } from './api.ts'
import type { Happening } from './log-state.ts'
import { later } from './page-clock.ts'
import { known, type Live, redraw, type SectionName } from './view.ts'

/** What is drawn again when a part has changed: all that shows times needs the clock and the zone. */
const shownIn: Readonly<Record<keyof Live, readonly SectionName[]>> = {
  clock: ['clock', 'quota', 'requests'],
  faults: ['faults'],
  settings: ['settings', 'clock', 'quota', 'requests', 'accounts'],
  state: ['state'],
  quota: ['quota'],
  accounts: ['accounts', 'quota'],
  tally: ['requests'],
}

interface Follower {
  /** The number of the newest request that came. */
  last(): number
  happen(happening: Happening): void
  /** What has this number or a lower one came before the page. */
  begin(last: number): void
  /** What was shown of the log is worth nothing any more. */
  forget(): void
  /** The filter is not understood, for this reason. */
  refuse(message: string): void
}

/** The one stream of a page: it lives again by itself, whatever ends it. */
export function createStream({ last, happen, begin, forget, refuse }: Follower) {
  let source: EventSource | undefined
  let run: string | undefined
  let era: number | undefined
  /** Milliseconds until the next try, after the server closed the stream. */
  let patience = 1_000

  const beginAgain = (now: number) => {
    era = now
    forget()
    connect()
  }

  const connect = () => {
    source?.close()
    if (document.hidden) return
    const query = new URLSearchParams(streamQuery())
    query.set('after', `${last()}`)
    if (era !== undefined) query.set('era', `${era}`)
    const opened = new EventSource(`${controlPath}/events?${query}`)
    source = opened
    const on = <Data>(event: string, take: (data: Data) => void) =>
      opened.addEventListener(event, ({ data }) => take(JSON.parse(data)))
    on(
      'start',
      (start: { readonly run: string; readonly version: string; readonly last: number; readonly era: number }) => {
        const isOther = run !== undefined && run !== start.run
        // Another version of the emulator has another page.
        if (isOther && start.version !== known.state?.version) return location.reload()
        run = start.run
        patience = 1_000
        if (isOther) return beginAgain(start.era)
        era ??= start.era
        begin(start.last)
        happen({ kind: 'connected' })
      },
    )
    on('polling', () => happen({ kind: 'polling' }))
    on('request', (request: LoggedRequest) => happen({ kind: 'row', request }))
    on('missed', (count: number) => happen({ kind: 'missed', count }))
    on('reset', beginAgain)
    for (const name of Object.keys(shownIn) as (keyof Live)[]) {
      on(name, (data: never) => {
        known[name] = data
        redraw(...shownIn[name])
      })
    }
    opened.onerror = () => {
      happen({ kind: 'lost' })
      if (opened.readyState !== EventSource.CLOSED || opened !== source) return
      void call('GET', `/requests?limit=1&${streamQuery()}`).catch(whyClosed)
    }
  }

  /** A stream that is refused gives no reason; the same question by itself does. */
  const whyClosed = (error: unknown) => {
    if (error instanceof CallRefusal && error.status === 422) return refuse(error.message)
    // The control token is asked for by the page's own form.
    if (error instanceof CallRefusal && /^40[13]$/.test(`${error.status}`)) return location.reload()
    later(patience, connect)
    patience = Math.min(patience * 2, 30_000)
  }

  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) return connect()
    source?.close()
    happen({ kind: 'lost' })
  })
  return { connect }
}
