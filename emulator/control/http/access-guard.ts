import { hash, timingSafeEqual } from 'node:crypto'
import { type HttpRequest, isFromThisMachine, proxySign } from '../../http.ts'
import { isLoopbackAddress, isLoopbackName } from '../../values/ip-allowlist.ts'
import { type ControlError, controlError } from './errors.ts'

/** Who may use the control API besides programs of this machine. */
export interface AccessOptions {
  /** Gives access from anywhere. */
  readonly token: string
  /** The website's address, if it differs from the emulator's. */
  readonly siteUrl: string | undefined
}

/** What was asked for below `/_emulator`: the dashboard's page, anything else of the dashboard, or the control API. */
export type AskedFor = 'page' | 'dashboard' | 'api'

/**
 * Decides who may use the control API and the dashboard: programs of the emulator's machine, and others with the token.
 * Web pages of other origins may not, with the token or without: their requests have a foreign `Origin` or
 * `Sec-Fetch-Site`, or a foreign `Host` if the page's own name resolves to this machine (DNS rebinding). A link to the
 * dashboard may stand anywhere. A proxy's address says nothing of its clients, so they need the token.
 *
 * @returns the refusal; undefined if the request may pass
 */
export function judgeAccess(
  request: HttpRequest,
  { token, siteUrl }: AccessOptions,
  asked: AskedFor,
): ControlError | undefined {
  const addressed = addressedUrl(request)
  const isOwnPlace = addressed !== undefined && isThisPlace(addressed, request)
  if (isOfForeignPage(request, addressed, asked)) {
    return controlError(403, 'foreign-origin', 'Web pages of other origins may not use the control API')
  }
  if (asked !== 'api' && siteUrl !== undefined && addressed?.host === new URL(siteUrl).host && !isOwnPlace) {
    const hint = 'Open it at the address where the emulator listens, which it shows when it starts'
    return controlError(403, 'foreign-host', 'The dashboard is no part of the website', hint)
  }
  if (showsToken(request, token)) return undefined
  if (!isFromThisMachine(request)) return tokenRequired(request)
  if (isOwnPlace) return undefined
  const hint = 'Use localhost or 127.0.0.1 with the port of the emulator, or send the control token'
  return controlError(403, 'foreign-host', 'The control API does not answer to this host name', hint)
}

function tokenRequired(request: HttpRequest): ControlError {
  const hint = 'Send Authorization: Bearer <control token>; fh emulate --control-token sets it'
  if (!isLoopbackAddress(request.clientIp)) {
    return controlError(401, 'token-required', 'From another machine the control API requires its token', hint)
  }
  const message = `Through a proxy (${proxySign(request)}) the control API requires its token`
  return controlError(403, 'through-proxy', message, hint)
}

/** Whether the token would open what was refused. */
export function isForWantOfToken({ body: { error } }: ControlError): boolean {
  return error.code === 'token-required' || error.code === 'through-proxy'
}

/** The address that the client used. */
function addressedUrl(request: HttpRequest): URL | undefined {
  const host = request.headers['host']
  return parseUrl(host === undefined ? request.origin : `${request.origin.replace(/:.*/, '')}://${host}`)
}

function isOfForeignPage(request: HttpRequest, addressed: URL | undefined, asked: AskedFor): boolean {
  const origin = request.headers['origin']
  if (origin !== undefined && !isOwnPage(parseUrl(origin), addressed, request)) return true
  const site = request.headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return false
  return !(asked === 'page' && isOpening(request))
}

/** Whether a person follows a link, and no image, frame or script of a page asks. */
function isOpening(request: HttpRequest): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return isRead && request.headers['sec-fetch-mode'] === 'navigate' && request.headers['sec-fetch-dest'] === 'document'
}

/**
 * A page of the address that the client used, or of this machine's by another name. The scheme counts: an attacker on an
 * unencrypted network can serve pages of any http origin. A proxy may add TLS in front of the emulator, but not take it away.
 */
function isOwnPage(page: URL | undefined, addressed: URL | undefined, request: HttpRequest): boolean {
  if (page === undefined) return false
  const isOfThisScheme = request.localPort === undefined || request.origin.startsWith(`${page.protocol}//`)
  const isSameHost = page.host === addressed?.host && (isOfThisScheme || page.protocol === 'https:')
  return isSameHost || (isOfThisScheme && isThisPlace(page, request))
}

function isThisPlace(url: URL, request: HttpRequest): boolean {
  // Without a socket there is no DNS rebinding, and the URL may have any host.
  if (request.localPort === undefined) return isLoopbackName(url.hostname) || url.origin === request.origin
  return isLoopbackName(url.hostname) && portOf(url) === request.localPort
}

export function showsToken(request: HttpRequest, token: string): boolean {
  const [, shown] = /^Bearer +(\S+)$/i.exec(request.headers['authorization'] ?? '') ?? []
  return shown !== undefined && isSameSecret(shown, token)
}

/** Compares digests, which have equal length, so that the time it takes reveals neither the secret nor its length. */
export function isSameSecret(shown: string, secret: string): boolean {
  return timingSafeEqual(hash('sha256', shown, 'buffer'), hash('sha256', secret, 'buffer'))
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}
