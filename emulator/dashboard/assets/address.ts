import { type Child, h, type Props } from './dom.ts'

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

/** Those that the stream of events depends on. */
const streamNames = [...filterNames, 'quota_of', 'find', 'accounts_from']

export type Changes = Readonly<Record<string, string | number | null>>

export function addressed(name: string): string | undefined {
  return new URLSearchParams(location.search).get(name) ?? undefined
}

/** The address of the page with some names of its query changed; null takes one away. */
export function linkTo(changes: Changes, anchor = ''): string {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name)
    else query.set(name, `${value}`)
  }
  // Slashes and commas mean nothing in a query, and links with them can be read.
  return `?${query.toString().replace(/%2F/g, '/').replace(/%2C/g, ',')}${anchor && `#${anchor}`}`
}

/** A link to the page itself, with some names of its query changed. */
export function link(text: Child, changes: Changes, anchor = '', props: Props = {}): HTMLElement {
  return h('a', { href: linkTo(changes, anchor), ...props }, text)
}

export const withoutFilter: Changes = Object.fromEntries(filterNames.map((name) => [name, null]))

/** The part of the address that the control API understands. */
export function queryOf(names: readonly string[]): URLSearchParams {
  const query = new URLSearchParams(location.search)
  return new URLSearchParams([...query].filter(([name, value]) => names.includes(name) && value !== ''))
}

export function streamQuery(): string {
  return queryOf(streamNames).toString()
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
  if (location.hash !== '')
    requestAnimationFrame(() => document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: 'nearest' }))
}
