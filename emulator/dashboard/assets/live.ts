import { mostRows } from '../requests/most-rows.ts'
import { afterwards, type Happening, type Hold, isFlowing, logState, stateWords } from './log-state.ts'
import { later } from './page-clock.ts'

const main = document.querySelector('main') as HTMLElement
const requests = document.querySelector('#requests') as HTMLElement
let state = logState(Number(main.dataset['last']))
let isDrawing = false
let source: EventSource | undefined
/** Milliseconds until the next try, after the server closed the stream. */
let patience = 1_000

function happen(happening: Happening): void {
  state = afterwards(state, happening)
  if (isDrawing) return
  isDrawing = true
  requestAnimationFrame(draw)
}

/** Once a frame, however much has come. */
function draw(): void {
  isDrawing = false
  if (isFlowing(state)) showWaiting()
  const words = part('live-state')
  if (words.textContent !== stateWords(state)) words.textContent = stateWords(state)
  words.dataset['state'] = stateWords(state).split(',')[0]?.toLowerCase()
  const button = part('show-new')
  button.hidden = isFlowing(state) || state.unseen === 0
  button.textContent = `Show ${state.unseen} new`
}

/** The server has escaped what is in the rows. */
function showWaiting(): void {
  const { waiting, hasGap } = state
  if (waiting.length === 0) return
  const body = requests.querySelector('#log tbody') as HTMLTableSectionElement
  if (hasGap) body.replaceChildren()
  const rows = document.createElement('template')
  rows.innerHTML = [...waiting]
    .reverse()
    .map(({ html }) => html)
    .join('')
  body.prepend(rows.content)
  while (body.rows.length > mostRows) body.lastElementChild?.remove()
  part('log').hidden = false
  const none = document.getElementById('no-requests')
  if (none !== null) none.hidden = true
  state = afterwards(state, { kind: 'shown' })
}

function part(id: string): HTMLElement {
  return document.getElementById(id) as HTMLElement
}

/** One stream for everything that changes; it begins after the newest row that came. */
function connect(): void {
  source?.close()
  const query = new URLSearchParams(location.search)
  query.set('after', String(state.last))
  query.set('era', main.dataset['era'] ?? '0')
  const opened = new EventSource(`/_emulator/ui/events?${query}`)
  source = opened
  const on = (event: string, take: (data: never, number: number) => void) =>
    opened.addEventListener(event, ({ data, lastEventId }) => take(JSON.parse(data) as never, Number(lastEventId)))
  on('start', (start: string) => {
    if (start !== main.dataset['start']) location.reload()
    patience = 1_000
    happen({ kind: 'connected' })
  })
  on('polling', () => happen({ kind: 'polling' }))
  on('request', (html: string, number) => happen({ kind: 'row', number, html }))
  on('missed', (count: number) => happen({ kind: 'missed', count }))
  on('tally', (text: string) => {
    part('tally').textContent = text
  })
  on('reset', () => void fetchAgain())
  for (const region of document.querySelectorAll<HTMLElement>('[data-live]')) {
    on(region.dataset['live'] ?? '', (html: string) => replace(region, html))
  }
  opened.onerror = () => {
    happen({ kind: 'lost' })
    if (opened.readyState !== EventSource.CLOSED || opened !== source) return
    later(patience, connectIfSeen)
    patience = Math.min(patience * 2, 30_000)
  }
}

function connectIfSeen(): void {
  if (!document.hidden) connect()
}

/** The log was cleared: what the page shows of it is made again. Forms elsewhere keep what was entered. */
async function fetchAgain(): Promise<void> {
  source?.close()
  try {
    const answer = await fetch(location.href)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const next = page.querySelector<HTMLElement>('main[data-start]')
    if (next === null) return location.reload()
    for (const id of ['log-part', 'request']) document.getElementById(id)?.replaceWith(...nodesOf(page, id))
    main.dataset['era'] = next.dataset['era']
    state = logState(Number(next.dataset['last']))
    watch()
    connect()
  } catch {
    happen({ kind: 'lost' })
    later(patience, () => void fetchAgain())
  }
}

function nodesOf(page: Document, id: string): readonly Node[] {
  const node = page.getElementById(id)
  return node === null ? [] : [node]
}

/** What regions are to show once they are left alone. */
const postponed = new Map<HTMLElement, string>()

/** Leaves alone what is being marked or typed in until that ends; the focus returns to the same button. */
function replace(region: HTMLElement, html: string): void {
  const active = document.activeElement
  const isInside = active !== null && region.contains(active)
  if (isMarking(region) || (isInside && active.matches('input,select,textarea'))) {
    postponed.set(region, html)
    return
  }
  postponed.delete(region)
  region.innerHTML = html
  if (isInside) document.getElementById(active.id)?.focus({ preventScroll: true })
}

function replacePostponed(): void {
  for (const [region, html] of [...postponed]) replace(region, html)
}

function isMarking(within: Element): boolean {
  const selection = getSelection()
  return selection !== null && !selection.isCollapsed && selection.containsNode(within, true)
}

function holdIf(isHeld: boolean, hold: Hold): void {
  if (isHeld !== state.holds.includes(hold)) happen({ kind: isHeld ? 'hold' : 'release', hold })
}

function watch(): void {
  const list = part('log-list')
  list.addEventListener('scroll', () => holdIf(list.scrollTop > 0, 'scrolled'), { passive: true })
  part('show-new').addEventListener('click', () => {
    list.scrollTop = 0
    showWaiting()
    happen({ kind: 'shown' })
  })
  holdIf(document.getElementById('request') !== null, 'reading')
}

document.addEventListener('selectionchange', () => {
  holdIf(isMarking(part('log-list')), 'marking')
  replacePostponed()
})
document.addEventListener('focusout', () => requestAnimationFrame(replacePostponed))
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) return connect()
  source?.close()
  happen({ kind: 'lost' })
})
// A form that was refused has its own address; the page has everything, and can be loaded again from its own.
const query = new URLSearchParams(location.search)
query.delete('notice')
const search = query.size === 0 ? '' : `?${query}`
history.replaceState(null, '', `/_emulator/ui${search}${location.hash}`)
watch()
happen({ kind: 'lost' })
connectIfSeen()
