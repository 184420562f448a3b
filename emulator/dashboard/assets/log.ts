import type { RequestListing } from '../../control/request-control.ts'
import { addressed, filterNames, queryOf } from './address.ts'
import { call } from './api.ts'
import { part } from './dom.ts'
import { afterwards, type Happening, type Hold, isFlowing, logState, mostRows, stateWords } from './log-state.ts'
import { later } from './page-clock.ts'
import { markRows, moveInRows, openRow, requestRow } from './rows.ts'
import { known, redraw } from './view.ts'

let state = logState(0)
let isDrawing = false
/** The number of the oldest row, and whether the log may have older ones that match. */
let oldest = Number.POSITIVE_INFINITY
let mayHaveOlder = true

/** The newest request when the page began: those up to it are not new. */
let openedAt = 0

export function beginAt(last: number): void {
  if (state.last === 0) openedAt = last
}

export const lastNumber = () => state.last

export function happen(happening: Happening): void {
  // What came before the page was opened is not new.
  const isFirst = happening.kind === 'missed' && state.last === 0
  if (!isFirst) state = afterwards(state, happening)
  if (isDrawing) return
  isDrawing = true
  requestAnimationFrame(drawLog)
}

/** Once a frame, however much has come. */
function drawLog(): void {
  isDrawing = false
  // What a page begins with is shown even beside a request that its address opens.
  if (isFlowing(state) || state.last <= openedAt) showWaiting()
  const words = stateWords(state)
  const place = part('live-state')
  if (place.textContent !== words) place.textContent = words
  place.className = `pill ${words === 'Live' ? 'good' : state.isConnected ? '' : 'warn'}`
  redraw('requests')
}

export function unseenCount(): number {
  return isFlowing(state) ? 0 : state.unseen
}

function showWaiting(): void {
  const { waiting, hasGap } = state
  if (waiting.length === 0) return
  const rows = document.getElementById('rows')
  if (rows === null) return
  if (hasGap) forgetRows()
  rows.prepend(...[...waiting].reverse().map(requestRow))
  while (rows.children.length > mostRows) rows.lastElementChild?.remove()
  oldest = Number(rows.lastElementChild?.querySelector('a')?.dataset['number'])
  mayHaveOlder ||= rows.children.length === mostRows
  state = afterwards(state, { kind: 'shown' })
  markRows()
  askFindings()
  redraw('requests')
}

export function hasRows(): boolean {
  return (document.getElementById('rows')?.children.length ?? 0) > 0
}

export function hasOlder(): boolean {
  return mayHaveOlder && oldest > 1 && hasRows()
}

function forgetRows(): void {
  part('rows').replaceChildren()
  oldest = Number.POSITIVE_INFINITY
  mayHaveOlder = true
}

/** Begins again: the log was cleared, or the filter is another. */
export function forgetLog(): void {
  const { holds, isConnected } = state
  state = { ...logState(0), holds, isConnected }
  if (document.getElementById('rows') !== null) forgetRows()
  redraw('requests')
}

const page = 100

/** Puts older requests below the others; from then on the page keeps more rows, and shows new ones when asked to. */
export async function showOlder(): Promise<void> {
  const query = queryOf(filterNames)
  query.set('limit', `${page}`)
  query.set('before', `${oldest}`)
  const { requests } = await call<RequestListing>('GET', `/requests?${query}`)
  const rows = part('rows')
  const first = requests.at(-1)
  rows.append(...[...requests].reverse().map(requestRow))
  oldest = requests[0]?.number ?? oldest
  mayHaveOlder = requests.length === page
  markRows()
  rows.querySelector<HTMLElement>(`[data-number="${first?.number}"]`)?.focus()
  redraw('requests')
}

function holdIf(isHeld: boolean, hold: Hold): void {
  if (isHeld !== state.holds.includes(hold)) happen({ kind: isHeld ? 'hold' : 'release', hold })
}

/** Nothing moves under a reader who opened a request. */
export function holdForReading(): void {
  holdIf(addressed('request') !== undefined, 'reading')
}

/** Call once the list is drawn. */
export function watchLog(): void {
  const list = part('log-list')
  const rows = part('rows')
  list.addEventListener('scroll', () => holdIf(list.scrollTop > 0, 'scrolled'), { passive: true })
  rows.addEventListener('keydown', moveInRows)
  rows.addEventListener('click', openRow)
  rows.addEventListener('focusin', markRows)
  document.addEventListener('selectionchange', () => {
    const selection = getSelection()
    holdIf(selection !== null && !selection.isCollapsed && selection.containsNode(rows, true), 'marking')
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || (event.target as Element).matches('input,textarea,select')) return
    event.preventDefault()
    part('filter-search').focus()
  })
}

export function showNew(): void {
  part('log-list').scrollTop = 0
  showWaiting()
  happen({ kind: 'shown' })
}

let isAsked = false

/** The sums of the etiquette report, every two seconds at most. */
export function askFindings(): void {
  if (isAsked) return
  isAsked = true
  later(300, async () => {
    const report = await call<{ findings: typeof known.findings }>('GET', '/report?limit=0').catch(() => undefined)
    if (report !== undefined) known.findings = report.findings ?? []
    redraw('requests')
    later(2_000, () => {
      isAsked = false
    })
  })
}
