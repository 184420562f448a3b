import { createHmac, randomBytes } from 'node:crypto'
import { parse, serialize } from 'hono/utils/cookie'
import { createSystemClock } from '../clock/clock.ts'
import { isSameSecret } from '../control/http/access-guard.ts'
import type { ControlError } from '../control/http/errors.ts'
import { portOfOrigin } from '../http/request/addresses.ts'
import { type HttpReply, type HttpRequest, headerOf } from '../http-types.ts'
import { createTries } from '../service/sign-in/tries.ts'
import { readForm } from '../site/forms/form-body.ts'
import { formOrigin } from '../site/forms/form-judge.ts'
import { messagePage, signInPage } from './page.ts'

/**
 * Who may see and use the dashboard: those who may use the control API. Where the control API requires its token, a form asks for the control token; a cookie then stands for it. The cookie has a proof that only
 * someone with the token could make, not the token, and is good for the dashboard alone. Without a lasting token it ends
 * with this process.
 */
export function createAccess(token: string) {
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
    /**
     * @param refusal what the control API would answer
     * @param name the first part of the path below the dashboard's
     * @returns what is answered instead: a refusal, the form that asks for the control token, or the answer to it
     */
    async check(
      request: HttpRequest,
      refusal: ControlError | undefined,
      name: string | undefined,
    ): Promise<HttpReply | undefined> {
      if (refusal === undefined) return undefined
      const { code, message, hint = '' } = refusal.body.error
      // The page that refuses, and the form that asks for the token, need their stylesheet.
      if (name === 'assets' && code !== 'foreign-origin') return undefined
      if (!/^(token-required|through-proxy)$/.test(code)) return messagePage(refusal.status, message, hint)
      if (hasProof(request)) return undefined
      if (name === 'sign-in' && request.method === 'POST') return signIn(request)
      if (name === undefined) return signInPage(refusal.status)
      return messagePage(refusal.status, message, 'Open the dashboard and sign in.')
    },
  }
}

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
