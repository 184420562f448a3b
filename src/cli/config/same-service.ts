import { isLoopback } from '../../internal.ts'

/**
 * Whether a key stored with one base URL may be sent to another: the same host and path. All loopback names are the same
 * host; https is allowed for http, not the other way round.
 */
export function isSameService(stored: string, asked: string): boolean {
  if (!URL.canParse(stored) || !URL.canParse(asked)) return false
  const [from, to] = [new URL(stored), new URL(asked)]
  const isSafer = from.protocol === 'http:' && to.protocol === 'https:'
  return (from.protocol === to.protocol || isSafer) && hostOf(from) === hostOf(to) && pathOf(from) === pathOf(to)
}

/** Whether a URL is below a base URL; http and https count as the same, since no key is sent there. */
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
