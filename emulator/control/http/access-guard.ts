import { hash, timingSafeEqual } from 'node:crypto'
import { type HttpRequest, headerOf } from '../../http-types.ts'
import { isLoopbackAddress, isLoopbackName } from '../../values/ip-allowlist.ts'
import { type ControlError, controlError } from './errors.ts'

/** Who may use the control API besides programs of this machine. */
export interface AccessOptions {
  /** Gives access from anywhere. */
  readonly token: string
  /** The website's address, if it differs from the emulator's: its host is accepted, its pages are not. */
  readonly siteUrl: string | undefined
}

/**
 * Decides who may use the control API: programs of the emulator's machine, and others with the token. Web pages may
 * not, on any machine. Their requests have a foreign `Origin`, or a foreign `Host` if the page's own name resolves to
 * this machine (DNS rebinding).
 *
 * @returns the refusal; undefined if the request may pass
 */
export function rejectUnauthorized(request: HttpRequest, options: AccessOptions): ControlError | undefined {
  return judgeAccess(request, options, showsToken(request, options.token))
}

/** As {@link rejectUnauthorized}, for a caller that knows by other means too whether its client has the token. */
export function judgeAccess(
  request: HttpRequest,
  { siteUrl }: Pick<AccessOptions, 'siteUrl'>,
  hasToken: boolean,
): ControlError | undefined {
  const addressed = addressedUrl(request)
  const site = siteUrl === undefined ? undefined : new URL(siteUrl)
  const origin = headerOf(request, 'origin')
  if (origin !== undefined) {
    const page = parseUrl(origin)
    const isSamePlace = hasToken && page !== undefined && page.host === addressed?.host
    if (!isSamePlace && !isOwnPage(page, request)) {
      return controlError(403, 'foreign-origin', 'Web pages of other origins may not use the control API')
    }
  }
  if (hasToken) return undefined
  if (!isLoopbackAddress(request.clientIp)) {
    const hint = 'Send Authorization: Bearer <control token>; the emulator shows the token when it starts'
    return controlError(401, 'token-required', 'From another machine the control API requires its token', hint)
  }
  if (!isOwnHost(addressed, request, site)) {
    const hint = 'Use localhost or 127.0.0.1 with the port of the emulator, or send the control token'
    return controlError(403, 'foreign-host', 'The control API does not answer to this host name', hint)
  }
  return undefined
}

/** The address that the client used. */
function addressedUrl(request: HttpRequest): URL | undefined {
  const host = headerOf(request, 'host')
  return parseUrl(host === undefined ? request.origin : `${request.origin.replace(/:.*/, '')}://${host}`)
}

/** The scheme counts too: an attacker on an unencrypted network can serve pages of any http origin. */
function isOwnPage(page: URL | undefined, request: HttpRequest): boolean {
  if (page === undefined) return false
  const isOfThisScheme = request.localPort === undefined || request.origin.startsWith(`${page.protocol}//`)
  return isOfThisScheme && isThisPlace(page, request)
}

/** Compares hosts without the scheme, because a proxy may add TLS in front of the emulator. */
function isOwnHost(addressed: URL | undefined, request: HttpRequest, site: URL | undefined): boolean {
  return addressed !== undefined && (addressed.host === site?.host || isThisPlace(addressed, request))
}

function isThisPlace(url: URL, request: HttpRequest): boolean {
  // Without a socket there is no DNS rebinding, and the URL may have any host.
  if (request.localPort === undefined) return isLoopbackName(url.hostname) || url.origin === request.origin
  return isLoopbackName(url.hostname) && portOf(url) === request.localPort
}

export function showsToken(request: HttpRequest, token: string): boolean {
  const [, shown] = /^Bearer +(\S+)$/i.exec(headerOf(request, 'authorization') ?? '') ?? []
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
