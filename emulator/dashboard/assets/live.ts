import type { AccountInfo } from '../../control/account-control.ts'
import type { ConnectionInfo, HealthInfo } from '../../control/control.ts'
import type { RequestListing } from '../../control/request-control.ts'
import type { ArmedFault } from '../../faults/fault-book.ts'
import type { Settings } from '../../settings/settings.ts'
import { addressed, filterNames, queryOf } from './address.ts'
import { askDetail, askTypes, call, onCalled } from './emulator.ts'
import { type CallRefusal, problemsIn } from './input.ts'
import { forgotten, type LogState, listed, lost, mostRows, refused } from './log.ts'
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

/** Follows all that the page shows, as long as it can be seen. */
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
    const ask = async () => {
      const parts = await askParts(isAll)
      take(parts)
      await askLog(parts.state, isAll)
    }
    await ask().catch((refusal: CallRefusal) => {
      if (refusal.status !== 422) allDueAt = 0
      tellWhy(refusal)
    })
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
}

const log = <Given extends readonly unknown[]>(next: (log: LogState, ...given: Given) => LogState, ...given: Given) =>
  change({ log: next(state.log, ...given) })

/** The filter with which the log was asked for, and what it had then. */
let asked = ''

/** Asks for the newest requests where the log has changed. @param isAll whether to ask in any case */
async function askLog({ log: held }: Parts['state'], isAll: boolean): Promise<void> {
  const filter = queryOf(filterNames)
  const wanted = JSON.stringify([filter, held])
  if (wanted === asked && !isAll) return
  asked = wanted
  const { requests } = await call<RequestListing>('GET', `/requests?limit=${mostRows}&${filter}`)
  if (filter === queryOf(filterNames)) log(listed, requests)
}

function tellWhy({ status, message }: CallRefusal): void {
  // The control token is asked for by the page's own form.
  if (status === 401 || status === 403) location.reload()
  else if (status === 422) {
    const byField = problemsIn(message, (name) => document.getElementById(`filter-${name}`) !== null)
    showProblem('filter', { byField, ...(byField.size === 0 && { message }) })
    log(refused)
  } else {
    asked = ''
    // An account may be gone.
    if (status !== 404) log(lost)
  }
}

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
}
