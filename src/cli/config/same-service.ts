import { isLoopback } from '../../internal.ts'

/**
 * Whether two base URLs are the same place, so that a key of the first may go to the second: all names of this machine
 * are one, and https stands in for http, never the other way round.
 */
export function isSameService(stored: string, asked: string): boolean {
  if (!URL.canParse(stored) || !URL.canParse(asked)) return false
  const [from, to] = [new URL(stored), new URL(asked)]
  const isSafer = from.protocol === 'http:' && to.protocol === 'https:'
  return (from.protocol === to.protocol || isSafer) && hostOf(from) === hostOf(to) && pathOf(from) === pathOf(to)
}

/** Whether a URL leads below a base URL; http and https are the same place, for no key goes to it. */
export function isBelow(url: URL, baseUrl: string): boolean {
  const base = new URL(baseUrl)
  return hostOf(url) === hostOf(base) && url.pathname.startsWith(`${pathOf(base)}/`)
}

function hostOf({ hostname, port }: URL): string {
  return `${isLoopback(hostname) ? 'localhost' : hostname}:${port}`
}

function pathOf({ pathname }: URL): string {
  return pathname.replace(/(?<!\/)\/+$/, '').replace(/\/api$/, '')
}
