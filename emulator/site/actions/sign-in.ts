import { RequestAbortedError } from '../../http-types.ts'
import { publicSignIn } from '../../service/sign-in/first-sign-in.ts'
import { refusalPage } from '../pages/errors.ts'
import { notice } from '../pages/form.ts'
import { loginPage } from '../pages/login.ts'
import { fromField, messageOf, type Place, placeToReturnTo, redirect } from '../place.ts'
import { timeText } from '../texts/quantities.ts'

/** The sign-in; the visitor comes back to the page that asked for it. */
export const loginPlace: Place = {
  get({ visitor }) {
    const from = String(visitor.query.values.get(fromField) ?? '')
    if (visitor.session !== undefined) return redirect(visitor, placeToReturnTo(from))
    const message = messageOf(visitor, ['needed', 'signedOut'])
    return loginPage(visitor, { from, notice: message && notice(visitor.say.login[message]) })
  },
  async post({ visitor, form }, { service, cookies }) {
    const { say, request, language, timezone } = visitor
    const from = form.get(fromField) ?? ''
    const email = form.get('email') ?? ''
    const password = form.get('password') ?? ''
    if (!visitor.isOfThisMachine && password === publicSignIn.password) return refusalPage(visitor, 'strange-name')
    const signal = request.clientGone?.()
    const answer = await service.signIn({ email, password, signal }).catch((cause: unknown) => {
      if (signal?.aborted !== true) throw cause
      throw new RequestAbortedError('The client disconnected while its password was checked', { cause })
    })
    switch (answer.kind) {
      case 'signed-in': {
        // A new id for each sign-in: one that was planted in the browser before gains nothing.
        const { id } = service.sessions.open(answer.account.id, cookies.session(request))
        return redirect(visitor, placeToReturnTo(from), { 'Set-Cookie': cookies.keepSession(request, id) })
      }
      case 'wrong':
        return loginPage(visitor, { email, from, notice: notice(say.login.wrong, 'bad') })
      case 'too-many-attempts': {
        const text = say.login.tooMany(timeText(answer.retryAt, language, timezone))
        return loginPage(visitor, { email, from, notice: notice(text, 'bad') })
      }
    }
  },
}

const signedOut = { place: 'login', query: { message: 'signedOut' } } as const

export const logoutPlace: Place = {
  get: ({ visitor }) => redirect(visitor, { place: 'landing' }),
  post({ visitor }, { service, cookies }) {
    service.sessions.end(cookies.session(visitor.request) ?? '')
    const gone = { 'Set-Cookie': cookies.keepSession(visitor.request, undefined) }
    return redirect(visitor, signedOut, gone)
  },
  // The second request of a double click: the session of its token has ended, as it asks.
  expired: ({ visitor }) => (visitor.session === undefined ? redirect(visitor, signedOut) : undefined),
}
