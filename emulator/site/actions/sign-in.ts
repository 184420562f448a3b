import type { Service } from '../../service/service.ts'
import { type FirstAccount, publicSignIn } from '../../service/sign-in/first-sign-in.ts'
import { refusalPage } from '../pages/errors.ts'
import { notice } from '../pages/form.ts'
import { loginPage } from '../pages/login.ts'
import { fromField, type Place, placeToReturnTo, redirect } from '../place.ts'
import { momentText } from '../texts/quantities.ts'
import type { Visitor } from '../visitor.ts'

/** The sign-in; the visitor comes back to the page that asked for it. */
const login: Place = {
  get({ visitor }, { service }) {
    const from = String(visitor.query.values.get(fromField) ?? '')
    if (visitor.session !== undefined) return redirect(visitor, placeToReturnTo(from))
    return loginPage(visitor, {
      from,
      demo: demoFor(visitor, service),
      ...(from !== '' && { notice: notice(visitor.say.login.needed) }),
    })
  },
  post({ visitor, form }, { service }) {
    const { say, cookies } = visitor
    const from = form.get(fromField) ?? ''
    const email = form.get('email') ?? ''
    const password = form.get('password') ?? ''
    if (!visitor.isOfThisMachine && password === publicSignIn.password) return refusalPage(visitor, 'strangeName')
    const refuse = (problem: string) => loginPage(visitor, { email, from, problem, demo: demoFor(visitor, service) })
    const answer = service.signIn({ email, password })
    switch (answer.kind) {
      case 'signed-in': {
        // A new id for each sign-in: one that was planted in the browser before gains nothing.
        const { id } = service.sessions.open(answer.account.id, cookies.session)
        return redirect(visitor, placeToReturnTo(from), { 'Set-Cookie': cookies.keepSession(id) })
      }
      case 'wrong':
        return refuse(say.login.wrong)
      case 'too-many-attempts':
        return refuse(say.login.tooMany(momentText(answer.retryAt, visitor)))
    }
  },
}

/** Named on the page, because it is no secret: to those whom it signs in. */
function demoFor({ isOfThisMachine }: Visitor, { firstSignIn }: Service): FirstAccount | undefined {
  const first = firstSignIn.get()
  return isOfThisMachine && first?.password === publicSignIn.password ? first : undefined
}

const logout: Place = {
  get: ({ visitor }) => redirect(visitor, { place: 'landing' }),
  post({ visitor }, { service }) {
    const { cookies, say } = visitor
    service.sessions.end(cookies.session ?? '')
    const signedOut = { place: 'login', notice: notice(say.login.signedOut) } as const
    return redirect(visitor, signedOut, { 'Set-Cookie': cookies.keepSession(undefined) })
  },
}

export const signInPlaces = { login, logout }
