import { createHmac, randomBytes } from 'node:crypto'
import { parse, serialize } from 'hono/utils/cookie'
import { createSystemClock } from '../clock/clock.ts'
import { type AccessOptions, isSameSecret, judgeAccess, showsToken } from '../control/http/access-guard.ts'
import { portOfOrigin } from '../http/request/request-origin.ts'
import { type HttpReply, type HttpRequest, headerOf } from '../http-types.ts'
import { createTries } from '../service/sign-in/tries.ts'
import { readForm } from '../site/forms/form-body.ts'
import { formOrigin } from '../site/forms/form-judge.ts'
import { messagePage, signInPage } from './page.ts'

/** Who may see and use the dashboard: those who may use the control API. */
export interface DashboardAccess {
  /**
   * @param name the first part of the path below the dashboard's
   * @returns what is answered instead: a refusal, the form that asks for the control token, or the answer to it
   */
  check(request: HttpRequest, name: string | undefined): Promise<HttpReply | undefined>
}

/**
 * From another machine, a form asks for the control token; a cookie then stands for it. The cookie has a proof that only
 * someone with the token could make, not the token, and is good for the dashboard alone. Without a lasting token it ends
 * with this process.
 */
export function createAccess({ token, siteUrl }: AccessOptions): DashboardAccess {
  // By real time: the service's clock may stand still.
  const { now } = createSystemClock()
  const tries = createTries()
  const proofOf = (nonce: string) => createHmac('sha256', token).update(`dashboard ${nonce}`).digest('base64url')

  const hasProof = (request: HttpRequest) => {
    const name = cookieName(request)
    const [nonce = '', proof = ''] = (parse(headerOf(request, 'cookie') ?? '', name)[name] ?? '').split('.')
    return nonce !== '' && isSameSecret(proof, proofOf(nonce))
  }

  const signIn = async (request: HttpRequest): Promise<HttpReply> => {
    if (formOrigin(request, request.origin) === 'foreign') return foreignForm
    const fields = await readForm(request)
    if (fields === undefined) return messagePage(400, 'This form cannot be read', 'Open the dashboard again.')
    if (tries.refusedUntil(request.clientIp, now()) !== undefined)
      return signInPage(429, 'Too many attempts. Try again in a minute.')
    if (!isSameSecret((fields.get('control_token') ?? '').trim(), token)) {
      tries.count(request.clientIp, now())
      return signInPage(422, 'This is not the control token.')
    }
    const nonce = randomBytes(16).toString('base64url')
    const isSecure = request.origin.startsWith('https:')
    const cookie = serialize(cookieName(request), `${nonce}.${proofOf(nonce)}`, {
      path: '/_emulator',
      httpOnly: true,
      sameSite: 'Strict',
      secure: isSecure,
    })
    const headers = { Location: '/_emulator/ui', 'Set-Cookie': cookie, 'Cache-Control': 'no-store' }
    return { status: 303, headers, body: '' }
  }

  return {
    async check(request, name) {
      if (isOfSite(request, siteUrl)) return notOfSite
      const isKnown = showsToken(request, token) || hasProof(request)
      const rejection = judgeAccess(request, withoutSite, isKnown)
      if (rejection === undefined) return undefined
      // The guard takes pages of other machines' addresses for foreign unless they show the token.
      const isOwnForm = judgeAccess(request, withoutSite, true) === undefined
      if (name === 'sign-in' && request.method === 'POST' && isOwnForm) return signIn(request)
      const { error } = rejection.body
      if (error.code !== 'token-required') return messagePage(rejection.status, error.message, error.hint ?? '')
      return name === undefined ? signInPage(401) : messagePage(401, error.message, 'Open the dashboard and sign in.')
    },
  }
}

const withoutSite = { siteUrl: undefined }

/** Whether the website's own address was used, and that is not simply where the emulator listens. */
function isOfSite({ origin, localPort }: HttpRequest, siteUrl: string | undefined): boolean {
  if (siteUrl === undefined) return false
  const site = new URL(siteUrl)
  return URL.canParse(origin) && new URL(origin).host === site.host && site.port !== String(localPort)
}

const notOfSite = messagePage(
  403,
  'The dashboard is no part of the website',
  'Open it at the address where the emulator listens, which it shows when it starts.',
)

const foreignForm = messagePage(403, 'This form came from another page', 'Send it from the dashboard itself.')

/**
 * Cookies ignore ports (RFC 6265, 8.5). Under TLS the prefix keeps pages without it from setting the cookie; `__Host-`
 * would send it to the whole site.
 */
function cookieName({ origin }: HttpRequest): string {
  const port = portOfOrigin(origin)
  const name = port === undefined ? 'fh_dashboard' : `fh_dashboard_${port}`
  return origin.startsWith('https:') ? `__Secure-${name}` : name
}
