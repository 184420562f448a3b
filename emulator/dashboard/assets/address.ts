import { change, state } from './store.ts'
import { type View, view } from './view.ts'

/** The names in the page's address that choose which requests are listed; as in the control API. */
export const filterNames = 'search method status path account_id since fault finding'.split(' ')

/** The names of the page's query that change; null and an empty text take one away. */
export type Changes = Readonly<Record<string, string | number | null>>

export const withoutFilter: Changes = Object.fromEntries(filterNames.map((name) => [name, null]))

const query = () => new URLSearchParams(state.query)

export const addressed = (name: string) => query().get(name) ?? undefined

export const hasFilter = () => filterNames.some((name) => query().has(name))

/** The address of the page with changes. */
export function linkTo(changes: Changes, anchor = ''): string {
  const changed = query()
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') changed.delete(name)
    else changed.set(name, `${value}`)
  }
  // Slashes and commas mean nothing in a query, and links with them can be read.
  return `?${changed.toString().replace(/%2F/g, '/').replace(/%2C/g, ',')}${anchor && `#${anchor}`}`
}

interface LinkOptions {
  readonly anchor?: string
  readonly class?: string
  readonly label?: string
  readonly title?: string
}

/** A link to the page itself, with some names of its query changed. */
export function link(text: View, changes: Changes, { anchor, class: style, label, title }: LinkOptions = {}): View {
  return view`<a href=${linkTo(changes, anchor)} class=${style} aria-label=${label} title=${title}>${text}</a>`
}

/** A part of the address; by default that which the control API understands as a filter. */
export function queryOf(names: readonly string[] = filterNames): string {
  return `${new URLSearchParams([...query()].filter(([name, value]) => names.includes(name) && value !== ''))}`
}

/** Links to the page itself do not load it again: what is typed stays. */
export function followLinks(): void {
  addEventListener('popstate', () => change({ query: location.search }))
  document.addEventListener('click', (event) => {
    const pressed = (event.target as Element).closest('a[href^="?"]')
    if (pressed === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    go(pressed.getAttribute('href') ?? '')
  })
}

export function go(address: string): void {
  const target = new URL(address === '?' ? location.pathname : address, location.href).href
  if (target !== location.href) history.pushState(null, '', target)
  change({ query: location.search })
  requestAnimationFrame(() => document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: 'nearest' }))
}
