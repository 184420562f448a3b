import type { HttpResponse } from '../../http.ts'
import { reviewAllowlist } from '../../service/allowlist-review.ts'
import { usageRanges } from '../../service/usage.ts'
import { notice } from '../pages/form.ts'
import { type KeyPageView, keyPage } from '../pages/key/key-page.ts'
import { forAccounts, redirect } from '../place.ts'
import { momentText } from '../texts/quantities.ts'
import type { SignedIn, SiteContext } from '../visitor.ts'

/** What a form changes of the usual page. */
type Change = Partial<Pick<KeyPageView, 'issued' | 'passwordProblem' | 'allowlist'>>

async function show(visitor: SignedIn, { service, settings }: SiteContext, change: Change = {}): Promise<HttpResponse> {
  const { session, now, timezone, query } = visitor
  const { account } = session
  const asked = query.values.get('range')
  const range = usageRanges.find((each) => each === asked) ?? '24h'
  return keyPage(visitor, {
    facts: service.keyPage.keyFacts(account.id),
    isApiEnabled: settings.current.api_enabled,
    // Read when it is needed: another form may have arrived since the visit began.
    allowlist: { text: service.accounts.get(account.id).ipAllowlist.join('\n') },
    quota: service.quota.report(account, now),
    usage: service.usage(account.id, { range, now, timezone }),
    ...change,
  })
}

/** The API key page: a new key for the account's password, shown once (spec 1). */
const key = forAccounts({
  get({ visitor }, site) {
    // A HEAD or a page that is fetched in advance must not use the key up.
    const issued = visitor.isLooking ? site.service.keyPage.takeIssuedKey(visitor.session) : undefined
    return show(visitor, site, { issued })
  },
  post({ visitor, form }, site) {
    const { session, say } = visitor
    const answer = site.service.keyPage.issueKey({ session, password: form.get('password') ?? '' })
    switch (answer.kind) {
      case 'issued':
        // Shown by the next GET: reloading the answer of a POST would send the password again.
        return redirect(visitor, { place: 'key' })
      case 'wrong-password':
        return show(visitor, site, { passwordProblem: say.key.wrongPassword })
      case 'too-many-attempts':
        return show(visitor, site, { passwordProblem: say.login.tooMany(momentText(answer.retryAt, visitor)) })
    }
  },
})

/** The editor of the allowlist (spec 5.5). */
const allowlist = forAccounts({
  get: ({ visitor }) => redirect(visitor, { place: 'key' }),
  post({ visitor, form }, site) {
    const text = form.get('addresses') ?? ''
    const review = reviewAllowlist(text)
    if (review.wrong.length > 0 || review.isTooLong) return show(visitor, site, { allowlist: { text, review } })
    site.service.accounts.update(visitor.session.account.id, { ipAllowlist: review.entries })
    return redirect(visitor, { place: 'key', notice: notice(visitor.say.allowlist.saved) })
  },
})

export const keyPlaces = { key, allowlist }
