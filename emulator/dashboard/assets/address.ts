import { type View, view } from './view.ts'

/** The names in the page's address that choose which requests are listed; as in the control API. */
export const filterNames = [
  'search',
  'method',
  'status',
  'path',
  'account_id',
  'since',
  'refused',
  'fault',
  'finding',
] as const

/** The names of the page's query that change; null and an empty text take one away. */
export type Changes = Readonly<Record<string, string | number | null>>

export const withoutFilter: Changes = Object.fromEntries(filterNames.map((name) => [name, null]))

export function addressed(name: string): string | undefined {
  return new URLSearchParams(location.search).get(name) ?? undefined
}

/** The address of the page with changes. */
export function linkTo(changes: Changes, anchor = ''): string {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name)
    else query.set(name, `${value}`)
  }
  // Slashes and commas mean nothing in a query, and links with them can be read.
  return `?${query.toString().replace(/%2F/g, '/').replace(/%2C/g, ',')}${anchor && `#${anchor}`}`
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

/** The part of the address that the control API understands. */
export function filterQuery(...more: readonly string[]): string {
  const names: readonly string[] = [...filterNames, ...more]
  const query = [...new URLSearchParams(location.search)]
  return new URLSearchParams(query.filter(([name, value]) => names.includes(name) && value !== '')).toString()
}

let follow = () => {}

/** @param act called after the address has changed, however it did */
export function onAddress(act: () => void): void {
  follow = act
  addEventListener('popstate', act)
  document.addEventListener('click', (event) => {
    const pressed = (event.target as Element).closest('a[href^="?"]')
    if (pressed === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    go(pressed.getAttribute('href') ?? '')
  })
}

/** Goes to an address of the page without loading it again: what is typed stays. */
export function go(address: string): void {
  const target = new URL(address === '?' ? location.pathname : address, location.href).href
  if (target !== location.href) history.pushState(null, '', target)
  follow()
  requestAnimationFrame(() => document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: 'nearest' }))
}
