import { serviceMessages } from '../../../../src/protocol/error-bodies.ts'
import type { WindowName } from '../../../../src/protocol/rate-limits.ts'
import type { HttpReply } from '../../../http-types.ts'
import type { WindowReport } from '../../../service/quota/quota-keeper.ts'
import type { IssuedKey, KeyUse } from '../../../service/sign-in/issued-keys.ts'
import type { KeyFacts } from '../../../service/sign-in/key-page.ts'
import type { Usage } from '../../../service/usage/usage.ts'
import { type Html, html } from '../../html/html.ts'
import { dateText } from '../../texts/quantities.ts'
import type { SignedIn, Visitor } from '../../visitor.ts'
import { formField, formFor } from '../form.ts'
import { sitePage } from '../layout.ts'
import { copyOf } from '../links.ts'
import { type AllowlistView, allowlistProblem, allowlistSection } from './allowlist-section.ts'
import { quotaGauges } from './quota-section.ts'
import { usageSection } from './usage-section.ts'

/** All that the key page shows. */
export interface KeyPageView {
  /** A key that was just made: this page alone shows it. */
  readonly issued?: IssuedKey | undefined
  readonly facts: KeyFacts
  readonly isApiEnabled: boolean
  readonly passwordProblem?: string
  readonly allowlist: AllowlistView
  readonly quota: Readonly<Record<WindowName, WindowReport>>
  readonly usage: Usage
}

/** The API key page (spec 1): the key, who may use it, and how much it is used. */
export function keyPage(visitor: SignedIn, view: KeyPageView): HttpReply {
  const { say } = visitor
  const password = { field: 'password', label: say.key.password }
  const content = html`${standing(visitor, view)}
${view.issued !== undefined && newKey(visitor, view.issued)}
<p>${say.key.intro}</p>
${keyForm(visitor, view)}
${allowlistSection(visitor, view.allowlist)}
${quotaGauges(visitor, view.quota)}
${usageSection(visitor, view.usage)}`
  return sitePage(visitor, {
    heading: say.key.heading,
    content,
    place: 'key',
    scripts: ['copy.js'],
    problem: view.passwordProblem === undefined ? allowlistProblem(visitor, view.allowlist) : password,
  })
}

/** Why the API refuses the account, in the API's own words (spec 5.6, 5.7); they are English in any language. */
function standing({ say, session: { account } }: SignedIn, { isApiEnabled }: KeyPageView): Html {
  const told = (title: string, words: string) =>
    html`<div class="notice bad" role="status"><p>${title}</p><p lang="en"><q>${words}</q></p></div>\n`
  return html`${!isApiEnabled && told(say.key.disabled, serviceMessages.apiDisabled)}
${account.suspended && told(say.key.suspended, account.suspensionReason ?? serviceMessages.suspended)}`
}

function newKey(visitor: Visitor, { apiKey, oldKeyLastUse }: IssuedKey): Html {
  const { key } = visitor.say
  const before = oldKeyLastUse === null ? key.oldKeyUnused : key.oldKeyUsed(useText(visitor, oldKeyLastUse))
  return html`<section class="notice" aria-labelledby="new-key"><h2 id="new-key">${key.newKey}</h2>
<p><output id="api-key" data-once>${apiKey}</output>
${copyOf(visitor, 'api-key')}</p>
<p>${key.onlyOnce} ${before}</p></section>`
}

function keyForm(visitor: SignedIn, { facts, passwordProblem }: KeyPageView): Html {
  const { key } = visitor.say
  const made = key.madeAt(dateText(facts.madeAt, visitor.language, visitor.timezone))
  const used = facts.lastUse === null ? key.neverUsed : key.lastUsed(useText(visitor, facts.lastUse))
  const fields = html`${userName(visitor)}
${formField({
  name: 'password',
  label: key.password,
  type: 'password',
  autocomplete: 'current-password',
  problem: passwordProblem,
})}
<button aria-describedby="consequence">${facts.isOwners ? key.generateNew : key.generate}</button>
<p class="soft" id="consequence">${key.consequence}</p>`
  return html`<p class="soft">${made} ${used}</p>
${formFor(visitor, { place: 'key' }, fields)}`
}

/** Tells password managers whose password is asked for. */
function userName({ session: { account } }: SignedIn): Html {
  return html`<input type="email" name="email" autocomplete="username" value="${account.email}" hidden>`
}

function useText({ language, timezone, say }: Visitor, { at, clientIp }: KeyUse): string {
  return say.key.use(dateText(at, language, timezone), clientIp)
}
