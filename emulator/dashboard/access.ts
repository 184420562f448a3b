import { createSystemClock } from '../clock/clock.ts'
import { isForWantOfToken, isSameSecret } from '../control/http/access-guard.ts'
import type { ControlError } from '../control/http/errors.ts'
import type { PageAccess } from '../control/http/page-access.ts'
import type { HttpRequest, HttpResponse } from '../http.ts'
import { createTries } from '../service/tries.ts'
import { formOrigin, readForm } from '../site/forms/sent-form.ts'
import { dashboardPath, messagePage, signInPage } from './page.ts'

/**
 * Who may see the dashboard: those who may use the control API. Where that requires its token, a form asks for it; a
 * cookie then stands for it.
 */
export function createAccess(pages: PageAccess, token: string) {
  // By real time: the service's clock may stand still.
  const { now } = createSystemClock()
  const tries = createTries()

  const signIn = async (request: HttpRequest): Promise<HttpResponse> => {
    if (formOrigin(request, request.origin) === 'foreign') return foreignForm
    const fields = await readForm(request)
    if (fields === undefined) return messagePage(400, 'This form cannot be read', 'Open the dashboard again.')
    if (tries.refusedUntil(request.clientIp, now()) !== undefined)
      return signInPage(429, 'Too many attempts. Try again in a minute.')
    if (!isSameSecret((fields.get('control_token') ?? '').trim(), token)) {
      tries.count(request.clientIp, now())
      return signInPage(422, 'This is not the control token.')
    }
    const headers = { Location: dashboardPath, 'Set-Cookie': pages.cookie(request), 'Cache-Control': 'no-store' }
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
    ): Promise<HttpResponse | undefined> {
      if (refusal === undefined) return undefined
      const { code, message, hint = '' } = refusal.body.error
      // The page that refuses, and the form that asks for the token, need their stylesheet.
      if (name === 'assets' && code !== 'foreign-origin') return undefined
      if (!isForWantOfToken(refusal)) return messagePage(refusal.status, message, hint)
      if (pages.hasCookie(request)) return undefined
      if (name === 'sign-in' && request.method === 'POST') return signIn(request)
      if (name === undefined) return signInPage(refusal.status)
      return messagePage(refusal.status, message, 'Open the dashboard and sign in.')
    },
  }
}

const foreignForm = messagePage(403, 'This form came from another page', 'Send it from the dashboard itself.')
