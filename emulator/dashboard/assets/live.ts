import type { AccountInfo } from '../../control/account-control.ts'
import type { ConnectionInfo, HealthInfo } from '../../control/control.ts'
import type { RequestListing } from '../../control/request-control.ts'
import type { ArmedFault } from '../../faults/fault-book.ts'
import type { Settings } from '../../settings/settings.ts'
import type { LoggedRequest } from '../../storage/record-types.ts'
import { addressed, filterNames, queryOf } from './address.ts'
import { ask, askDetail, askFindings, askTypes, call, onCalled } from './emulator.ts'
import { CallRefusal, problemsIn } from './input.ts'
import { connected, forgotten, isFromAnotherLog, type LogState, lost, mostRows, refused, withRow } from './log.ts'
import { later, steadyMs } from './page-clock.ts'
import { change, type PageState, type Parts, showProblem, state } from './store.ts'

/** All that the page shows besides the log. @param isAll whether to read the accounts too, which takes long where there are many */
async function askParts(isAll: boolean): Promise<Parts> {
  const [{ clock, ...held }, faults, settings, connection, accounts] = await Promise.all([
    call<HealthInfo>('GET', '/health'),
    call<readonly ArmedFault[]>('GET', '/faults'),
    call<Settings>('GET', '/settings'),
    call<ConnectionInfo>('GET', '/connection'),
    isAll ? call<readonly AccountInfo[]>('GET', '/accounts') : (state.accounts ?? []),
  ])
  const account = accounts.find(({ id }) => `${id}` === addressed('quota_of')) ?? accounts[0]
  const windows = account && (await call<Parts['windows']>('GET', `/accounts/${account.id}/quota`))
  // Shown to the second, so that the page is drawn again no more often.
  const now = `${clock.now.slice(0, 19)}Z`
  return { state: held, clock: { ...clock, now }, faults, settings, connection, accounts, account, windows }
}

/** In milliseconds, they are asked for so often at least, and what takes long so often at most but after a press. */
const [idleMs, longMs] = [1_000, 5_000]
/** Between the answers and the next round, so many times as long as they took, within these limits in milliseconds. */
const [restFactor, leastRestMs, mostRestMs] = [10, 100, 1_000]

/** Begins the next round after the rest. */
export let refresh = () => {}

/** Follows all that the page shows besides the log, as long as it can be seen. */
export async function followParts(): Promise<never> {
  let allDueAt = 0
  for (;;) {
    const [news, press] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    refresh = news.resolve
    onCalled(() => {
      allDueAt = 0
      press.resolve()
      news.resolve()
    })
    const began = steadyMs()
    const isAll = began >= allDueAt
    if (isAll) allDueAt = began + longMs
    const parts = await askParts(isAll).catch(() => undefined)
    // The stream tells it where nothing answers; an account may be gone.
    if (parts === undefined) allDueAt = 0
    else take(parts)
    const rest = Math.max((steadyMs() - began) * restFactor, leastRestMs)
    await Promise.race([press.promise, pause(Math.min(rest, mostRestMs))])
    await Promise.race(document.hidden ? [news.promise] : [news.promise, pause(idleMs)])
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => later(ms, resolve))

function take(parts: Parts): void {
  const before = state.state
  // Another version of the emulator has another page.
  if (before !== undefined && before.version !== parts.state.version) {
    location.reload()
    return
  }
  // What is as it was is not drawn again.
  const differs = ([name, part]: [string, unknown]) =>
    JSON.stringify(part) !== JSON.stringify(state[name as keyof PageState])
  change(Object.fromEntries(Object.entries(parts).filter(differs)))
  if (state.faultTypes === undefined) void askTypes()
  const deleted = ({ log }: Parts['state']) => log.last - log.kept - log.dropped
  if (before === undefined) return
  // Requests were deleted, or the emulator was reset: some of those shown may be gone.
  if (deleted(parts.state) !== deleted(before) || parts.state.log.last < before.log.last) beginAgain()
}

let stream: AbortController | undefined
/** Of the page’s address: all of it, the request that is open, and the filter. */
let [address, shown, followed]: (string | undefined)[] = []

/** What the page’s address names is asked for: another request, another part of the log, another account. */
export function followAddress(): void {
  if (state.query === address) return
  address = state.query
  const [request, filter] = [addressed('request'), queryOf(filterNames)]
  if (request !== shown) {
    shown = request
    change({ detail: undefined })
    void askDetail()
  }
  refresh()
  if (filter === followed) return
  if (followed !== undefined) log(forgotten)
  followed = filter
  showProblem('filter')
  openStream()
}

const log = <Given extends readonly unknown[]>(next: (log: LogState, ...given: Given) => LogState, ...given: Given) =>
  change({ log: next(state.log, ...given) })

/** What was shown of the log is worth nothing any more. */
function beginAgain(): void {
  log(forgotten)
  askFindings()
  openStream()
}

/** The one stream of a page: it lives again by itself, whatever ends it. A page that cannot be seen has none. */
export function openStream(): void {
  stream?.abort()
  stream = undefined
  if (document.hidden) {
    log(lost)
    return
  }
  const opened = new AbortController()
  stream = opened
  void follow(opened).catch((refusal: CallRefusal) => whyClosed(opened, refusal))
}

/** @throws CallRefusal, or any error once it ends */
async function follow(opened: AbortController): Promise<void> {
  const { body } = await ask('GET', `/requests/stream?${followed}`, undefined, opened.signal)
  /** What comes before the list of what was there; undefined once that is shown. */
  let early: LoggedRequest[] | undefined = []
  const listFirst = async () => {
    const newest = await list(opened)
    for (const request of early ?? []) if (request.number > newest) log(withRow, request)
    early = undefined
  }
  const read = async () => {
    for await (const { event, data } of eventsIn(body)) {
      if (opened !== stream) return
      refresh()
      // What was missed is newer than all that was sent before.
      if (event === 'missed') openStream()
      else if (early !== undefined) early.push(data)
      else if (isFromAnotherLog(state.log, data)) beginAgain()
      else log(withRow, data)
    }
    throw new CallRefusal('The stream has ended.', 0)
  }
  await Promise.all([listFirst(), read()])
}

/** Shows what the log has. @returns the number of the newest request; infinite if another stream shows it @throws CallRefusal */
async function list(opened: AbortController): Promise<number> {
  const { requests } = await call<RequestListing>('GET', `/requests?limit=${mostRows}&${followed}`)
  if (opened !== stream) return Number.POSITIVE_INFINITY
  log(connected, requests)
  refresh()
  return requests.at(-1)?.number ?? 0
}

/** Reads server-sent events; what has no data only keeps the connection alive. */
async function* eventsIn(body: Response['body']) {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    const events = (text + read.value).split('\n\n')
    text = events.pop() ?? ''
    for (const one of events) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(one) ?? []
      if (data !== undefined) yield { event, data: JSON.parse(data) }
    }
  }
}

function tryAgain(opened: AbortController): void {
  later(2_000, () => {
    if (opened === stream) openStream()
  })
}

function whyClosed(opened: AbortController, { status, message }: CallRefusal) {
  if (opened !== stream) return
  opened.abort()
  log(status === 422 ? refused : lost)
  // The control token is asked for by the page's own form.
  if (status === 401 || status === 403) return location.reload()
  if (status !== 422) return tryAgain(opened)
  const byField = problemsIn(message, (name) => document.getElementById(`filter-${name}`) !== null)
  showProblem('filter', { byField, ...(byField.size === 0 && { message }) })
}
