import { hash, timingSafeEqual } from 'node:crypto'
import { type HttpRequest, headerOf } from '../../http-types.ts'
import { type ControlFault, controlFault } from './errors.ts'

/** Who may come in beside the programs of this machine. */
export interface DoorOptions {
  /** Opens the control API to whoever shows it, from anywhere. */
  readonly token: string
  /** Where the website is, where that is not where the emulator is: a host that is an own one, but no origin of pages. */
  readonly siteUrl: string | undefined
}

/**
 * Decides who may use the control API. The emulator's own machine may, and others with the token. A web page may not,
 * whatever machine its browser runs on: its requests have a foreign `Origin`, or a foreign `Host` where its name was
 * made to point here.
 *
 * @returns why not, or undefined for those who may
 */
export function turnedAway(request: HttpRequest, { token, siteUrl }: DoorOptions): ControlFault | undefined {
  const addressed = addressedUrl(request)
  const hasToken = showsToken(request, token)
  const site = siteUrl === undefined ? undefined : new URL(siteUrl)
  const origin = headerOf(request, 'origin')
  if (origin !== undefined) {
    const page = parseUrl(origin)
    const isSamePlace = hasToken && page !== undefined && page.host === addressed?.host
    if (!isSamePlace && !isOwnPage(page, request)) {
      return controlFault(403, 'foreign-origin', 'The control API is not for web pages of other origins')
    }
  }
  if (hasToken) return undefined
  if (!isLoopback(request.clientIp)) {
    const hint = 'Send Authorization: Bearer <control token>; the emulator shows the token when it starts'
    return controlFault(401, 'token-required', 'From another machine the control API needs its token', hint)
  }
  if (!isOwnHost(addressed, request, site)) {
    const hint = 'Use localhost or 127.0.0.1 with the port of the emulator, or send the control token'
    return controlFault(403, 'foreign-host', 'The control API does not answer to this host name', hint)
  }
  return undefined
}

/** What the client believes it is talking to. */
function addressedUrl(request: HttpRequest): URL | undefined {
  const host = headerOf(request, 'host')
  return parseUrl(host === undefined ? request.origin : `${request.origin.replace(/:.*/, '')}://${host}`)
}

/** The whole origin counts: who can write to a line without encryption can make pages of any host that has http. */
function isOwnPage(page: URL | undefined, request: HttpRequest): boolean {
  if (page === undefined) return false
  const isOfThisScheme = request.localPort === undefined || request.origin.startsWith(`${page.protocol}//`)
  return isOfThisScheme && isThisPlace(page, request)
}

/** A host has no scheme: where a proxy speaks TLS for the emulator, the emulator's own is not the site's. */
function isOwnHost(addressed: URL | undefined, request: HttpRequest, site: URL | undefined): boolean {
  return addressed !== undefined && (addressed.host === site?.host || isThisPlace(addressed, request))
}

function isThisPlace(url: URL, request: HttpRequest): boolean {
  // Without a socket there is no address to be misled by, and the URL may have any host.
  if (request.localPort === undefined) return isLoopbackName(url.hostname) || url.origin === request.origin
  return isLoopbackName(url.hostname) && portOf(url) === request.localPort
}

function showsToken(request: HttpRequest, token: string): boolean {
  const [, shown] = /^Bearer +(\S+)$/i.exec(headerOf(request, 'authorization') ?? '') ?? []
  // Digests are of equal length, so that the comparison tells nothing of the token's.
  return shown !== undefined && timingSafeEqual(hash('sha256', shown, 'buffer'), hash('sha256', token, 'buffer'))
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

function isLoopbackName(hostname: string): boolean {
  return hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname) || /^(.+\.)?localhost$/.test(hostname)
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}
