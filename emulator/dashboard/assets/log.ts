import type { RequestListing } from '../../control/request-control.ts'
import { addressed, filterQuery } from './address.ts'
import { call } from './api.ts'
import { askFindings } from './asks.ts'
import { afterwards, type Happening, type Hold, isFlowing } from './log-state.ts'
import { change, state } from './store.ts'

export function happen(happening: Happening): void {
  change({ log: afterwards(state.log, happening) })
}

/** Before each drawing: shows what has come unless it would move under a reader; what the page began with, always. */
export function settle(): void {
  const { log } = state
  if (log.waiting.length === 0 || !(isFlowing(log) || log.last <= log.openedAt)) return
  happen({ kind: 'shown' })
  askFindings()
}

/** Puts older requests below the others; they stay until new ones come. */
export async function showOlder(): Promise<void> {
  const oldest = state.log.rows.at(-1)?.number ?? 0
  const path = `/requests?limit=100&before=${oldest}&${filterQuery()}`
  const { requests } = await call<RequestListing>('GET', path)
  happen({ kind: 'older', requests: [...requests].reverse() })
  requestAnimationFrame(() => focusRow(requests.at(-1)?.number))
}

export function showNew(): void {
  document.getElementById('log-list')?.scrollTo(0, 0)
  happen({ kind: 'shown' })
}

export function holdIf(isHeld: boolean, hold: Hold): void {
  if (isHeld !== state.log.holds.includes(hold)) happen({ kind: isHeld ? 'hold' : 'release', hold })
}

/** Nothing moves under a reader who opened a request or marks text; a slash leads to the search. */
export function watchReader(): void {
  document.addEventListener('selectionchange', () => {
    const selection = getSelection()
    const rows = document.getElementById('rows')
    holdIf(rows !== null && selection?.isCollapsed === false && selection.containsNode(rows, true), 'marking')
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || (event.target as Element).matches('input,textarea,select')) return
    event.preventDefault()
    document.getElementById('filter-search')?.focus()
  })
}

function focusRow(number: number | undefined): void {
  document.querySelector<HTMLElement>(`#rows [data-number="${number}"]`)?.focus()
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }

/** Arrows, Home and End move between rows; Enter opens one, since each is a link. */
export function moveInRows(event: KeyboardEvent): void {
  const step = steps[event.key]
  const { rows } = state.log
  const at = rows.findIndex(({ number }) => number === numberOf(event))
  if (step === undefined || at === -1) return
  event.preventDefault()
  focusRow(rows[Math.min(Math.max(at + step, 0), rows.length - 1)]?.number)
}

export function rememberRow(event: FocusEvent): void {
  change({ focused: numberOf(event) })
}

function numberOf({ target }: Event): number {
  return Number((target as HTMLElement).dataset['number'])
}

/** A press anywhere on a row opens it, unless text is being marked. */
export function openRow({ target }: MouseEvent): void {
  const link = (target as Element).closest('tr')?.querySelector('a')
  if (link !== target && getSelection()?.isCollapsed !== false) link?.click()
}

/** Of all rows one is a stop for the Tab key: that which had the focus, else the open one, else the first. */
export function rowStop(): number | undefined {
  const numbers = state.log.rows.map(({ number }) => number)
  const wanted = [state.focused, Number(addressed('request'))]
  return wanted.find((one) => one !== undefined && numbers.includes(one)) ?? numbers[0]
}
