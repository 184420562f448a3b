import { addressed, go, linkTo } from './address.ts'
import { change, type PageState, state } from './store.ts'

/** Nothing moves under a reader who opened a request, scrolled down or marks text. */
export function isAtRows(): boolean {
  const list = document.getElementById('log-list')
  const selection = getSelection()
  const marks = list !== null && selection?.isCollapsed === false && selection.containsNode(list, true)
  return marks || addressed('request') !== undefined || (list?.scrollTop ?? 0) > 0
}

/** A slash leads to the search, Esc closes the request that is open. */
export function watchReader(): void {
  document.addEventListener('selectionchange', () => change())
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && addressed('request') !== undefined) return go(linkTo({ request: null }))
    if (event.key !== '/' || (event.target as Element).matches('input,textarea,select')) return
    event.preventDefault()
    document.getElementById('filter-search')?.focus()
  })
}

export function focusRow(number: number | undefined): void {
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

const numberOf = ({ target }: Event) => Number((target as HTMLElement).dataset['number'])

/** A press anywhere on a row opens it, unless text is being marked. */
export function openRow({ target }: MouseEvent): void {
  const link = (target as Element).closest('tr')?.querySelector('a')
  if (link !== target && getSelection()?.isCollapsed !== false) link?.click()
}

/** Of all rows one is a stop for the Tab key: that which had the focus, else the open one, else the first. */
export function rowStop({ log, focused }: PageState): number | undefined {
  const numbers = log.rows.map(({ number }) => number)
  return [focused, Number(addressed('request'))].find((one) => numbers.includes(one ?? 0)) ?? numbers[0]
}
