import type { LoggedRequest } from '../../storage/records.ts'
import { addressed, linkTo } from './address.ts'
import { h, part } from './dom.ts'
import { shown } from './shown.ts'
import { times } from './view.ts'
import { briefReason } from './why.ts'

/** Longer paths are cut in the list. */
const mostPath = 160

/** A request in the list: one link, which opens it; of a record that cannot be read, a row that says so. */
export function requestRow(request: LoggedRequest): HTMLElement {
  const { number } = request
  const props = { href: linkTo({ request: number }), tabindex: -1, 'data-number': number }
  try {
    const { method, status, endpoint, account_id: account, cost } = request
    const reason = briefReason(request)
    return h(
      'tr',
      { class: toneOf(request) },
      h('td', h('a', props, times().precise(Date.parse(request.at)))),
      h('td', shown(method, 32)),
      h('td', h('span.pill', Number(status))),
      h('td', shown(endpoint, mostPath)),
      h('td', account ?? 'none'),
      h('td', Number(cost)),
      h('td', reason),
    )
  } catch {
    return h('tr.bad', h('td', h('a', props, number)), h('td', { colspan: 6 }, 'This record cannot be read'))
  }
}

/** What the rows' colours mean; the status and the last column say it in words. */
function toneOf({ status, fault }: LoggedRequest): string {
  if (fault !== undefined) return 'struck'
  if (status === 429 || status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}

const linksOf = () => [...part('rows').querySelectorAll<HTMLAnchorElement>('a')]

/** Of all rows one is a stop for the Tab key: the open one, else the one that had the focus, else the first. */
export function markRows(): void {
  const open = addressed('request')
  const links = linksOf()
  const stop =
    links.find((link) => link === document.activeElement) ??
    links.find(({ dataset }) => dataset['number'] === open) ??
    links[0]
  for (const link of links) {
    link.tabIndex = link === stop ? 0 : -1
    if (link.dataset['number'] === open) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
  }
}

const steps: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
}

/** Arrows, Home and End move between rows; Enter opens one, since each is a link. */
export function moveInRows(event: KeyboardEvent): void {
  const links = linksOf()
  const at = links.indexOf(event.target as HTMLAnchorElement)
  const to = steps[event.key]?.(at, links.length)
  const next = at === -1 || to === undefined ? undefined : links[to]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
  markRows()
}

/** A press anywhere on a row opens it, unless text is being marked. */
export function openRow(event: MouseEvent): void {
  const link = (event.target as Element).closest('tr')?.querySelector('a')
  if (link === null || link === undefined || event.target === link || getSelection()?.isCollapsed === false) return
  link.click()
}

/** The numbers of the rows beside one: the newer and the older. */
export function besideRow(number: number): { readonly newer: number | undefined; readonly older: number | undefined } {
  const numbers = linksOf().map(({ dataset }) => Number(dataset['number']))
  const at = numbers.indexOf(number)
  return { newer: at === -1 ? undefined : numbers[at - 1], older: at === -1 ? undefined : numbers[at + 1] }
}
