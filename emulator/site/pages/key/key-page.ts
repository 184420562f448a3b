import { endpoints, keyHeader } from '../../../../src/protocol/endpoints.ts'
import { type WindowName, windowNames } from '../../../../src/protocol/rate-limits.ts'
import { serviceMessages } from '../../../../src/protocol/resources.ts'
import type { HttpResponse } from '../../../http.ts'
import type { WindowReport } from '../../../service/quota/quota.ts'
import type { KeyFacts } from '../../../service/sign-in/key-page.ts'
import type { Usage } from '../../../service/usage.ts'
import { type Html, html } from '../../html/html.ts'
import { countText, dateText, momentText } from '../../texts/quantities.ts'
import type { SignedIn, Visitor } from '../../visitor.ts'
import { formField, formFor } from '../form.ts'
import { sitePage } from '../layout.ts'
import { copyMark, copyOf } from '../links.ts'
import { type AllowlistView, allowlistProblem, allowlistSection } from './allowlist-section.ts'
import { usageSection } from './usage-section.ts'

export interface KeyPageView {
  /** A key that was just made: this page alone shows it. */
  readonly issued?: string | undefined
  readonly facts: KeyFacts
  readonly isApiEnabled: boolean
  readonly passwordProblem?: string
  readonly allowlist: AllowlistView
  readonly quota: Readonly<Record<WindowName, WindowReport>>
  readonly usage: Usage
}

/** The API key page (spec 1): the key, who may use it, and how much it is used. */
export function keyPage(visitor: SignedIn, view: KeyPageView): HttpResponse {
  const { say } = visitor
  const password = { field: 'password', label: say.key.password }
  const content = html`${standing(visitor, view)}
${view.issued !== undefined && newKey(visitor, view.issued)}
${keyCard(visitor, view)}
${quotaGauges(visitor, view.quota)}
${usageSection(visitor, view.usage)}
${allowlistSection(visitor, view.allowlist)}`
  return sitePage(visitor, {
    heading: say.key.heading,
    content,
    place: 'key',
    script: 'copy.js',
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

function newKey(visitor: Visitor, apiKey: string): Html {
  const { key } = visitor.say
  const { origin } = visitor.request
  const commands = {
    curl: `curl -H "${keyHeader}: ${apiKey}" ${origin}${endpoints.stats.path}`,
    'fh login': `echo ${apiKey} | fh login --with-key --base-url ${origin}`,
  }
  return html`<section class="card notice good" aria-labelledby="new-key"><h2 id="new-key">${key.newKey}</h2>
<p class="row"><output id="api-key" data-once>${apiKey}</output> ${copyOf(visitor, 'api-key')}</p>
<p>${key.onlyOnce} ${key.oldKey}</p>
<ul class="copies">
${Object.entries(commands).map(([name, command], at) => html`<li><span>${name}</span> <code id="command-${at}" data-once>${command}</code> ${copyOf(visitor, `command-${at}`, key.toClipboard(name), copyMark)}\n`)}</ul></section>`
}

/** The key that is live, and the form that replaces it. */
function keyCard(visitor: SignedIn, { facts, passwordProblem, isApiEnabled }: KeyPageView): Html {
  const { key } = visitor.say
  const date = (at: number) => dateText(at, visitor.language, visitor.timezone)
  const made = key.madeAt(date(facts.madeAt))
  const { lastUse } = facts
  const used = lastUse === null ? key.neverUsed : key.lastUsed(date(lastUse.at), lastUse.clientIp)
  const isLive = isApiEnabled && !visitor.session.account.suspended
  // Tells password managers whose password is asked for.
  const userName = html`<input type="email" name="email" autocomplete="username" value="${visitor.session.account.email}" hidden>`
  const fields = html`${userName}
${formField({
  name: 'password',
  label: key.password,
  type: 'password',
  autocomplete: 'current-password',
  problem: passwordProblem,
})}
<button aria-describedby="consequence">${facts.isOwners ? key.generateNew : key.generate}</button>
<p class="soft" id="consequence">${key.confirm} ${key.consequence}</p>`
  return html`<section class="card" aria-labelledby="live-key"><h2 id="live-key">${key.live}</h2>
<p class="row">${facts.end !== '' && html`<code class="end">…${facts.end}</code>`} <span class="pill ${isLive ? 'good' : 'bad'}">${isLive ? key.active : key.refused}</span> <span class="soft">${made} ${used}</span></p>
<p class="soft">${key.intro}</p>
${formFor(visitor, { place: 'key', className: 'line' }, fields)}</section>`
}

/** How full each window of the account's quota is (spec 8). */
function quotaGauges(visitor: Visitor, windows: Readonly<Record<WindowName, WindowReport>>): Html {
  const { quota } = visitor.say
  return html`<section class="card" aria-labelledby="quota"><h2 id="quota">${quota.heading}</h2>
<div class="gauges">
${windowNames.map((name) => gauge(visitor, name, windows[name]))}</div></section>`
}

function gauge(visitor: Visitor, name: WindowName, window: WindowReport): Html {
  const { quota } = visitor.say
  const count = (value: number) => countText(value, visitor.language)
  const { limit, used, remaining, resetsAt } = window
  if (limit === null || remaining === null) {
    return html`<p class="gauge"><strong>${quota.windows[name]}</strong> <small>${quota.unlimited(count(used))}</small></p>\n`
  }
  const back = resetsAt === null ? '' : quota.back(momentText(resetsAt, visitor))
  const text = `${quota.used(count(used), count(limit), count(remaining))}${back}`
  // From 80 % of the minute's limit answers may be delayed (spec 8.3); the others only refuse when they are full.
  const high = name === 'minute' ? Math.ceil(limit * 0.8) : Math.max(limit - 1, 0)
  return html`<label class="gauge"><strong>${quota.windows[name]}</strong>
<meter min="0" max="${Math.max(limit, 1)}" high="${high}" optimum="0" value="${Math.min(used, limit)}"></meter>
<small>${text}</small></label>\n`
}
