import { windowNames } from '../../../src/protocol/rate-limits.ts'
import type { AccountInfo, WindowInfo } from '../../control/account-control.ts'
import type { Settings } from '../../settings/settings.ts'
import { type Html, html } from '../../site/html/html.ts'
import { nextWholeSecond } from '../../values/offset-date-time.ts'
import { keptQuery, linkTo, liveRegion } from '../form.ts'
import type { Section, View } from '../section.ts'
import { type Times, timesIn } from '../shown.ts'

export const quotaSection: Section = {
  name: 'quota',
  heading: 'Quota',
  live: gauges,
  view: (view) => html`${accountChoice(view)}${liveRegion('quota', gauges(view))}`,
}

/** The name in the page's address. */
const quotaOf = 'quota_of'
/** More are chosen by their number. */
const mostLinks = 12

function accountChoice(view: View): Html {
  const accounts = view.control.accounts.list()
  const chosen = chosenAccount(view)
  if (accounts.length < 2) return html``
  if (accounts.length > mostLinks) {
    return html`<form method="get" action="#quota" class="row">${keptQuery(view, [quotaOf])}<span class="field"><label for="quota-of">Account</label><input id="quota-of" name="${quotaOf}" value="${chosen?.id ?? ''}" inputmode="numeric" autocomplete="off"></span><button class="quiet">Show</button></form>`
  }
  return html`<nav class="row" aria-label="Account of the quota">${accounts.map(
    ({ id, email }) =>
      html`<a href="${linkTo(view, { [quotaOf]: id }, 'quota')}"${id === chosen?.id && html` aria-current="true"`}>${id} ${email}</a> `,
  )}</nav>`
}

/** The account that the address names; otherwise the first. */
function chosenAccount({ control, query }: View): AccountInfo | undefined {
  const named = Number(query.get(quotaOf) ?? 1)
  try {
    return control.accounts.get(named)
  } catch {
    return control.accounts.list()[0]
  }
}

function gauges(view: View): Html {
  const { accounts, clock, settings } = view.control
  const account = chosenAccount(view)
  if (account === undefined) return html`<p>There is no account.</p>`
  const windows = accounts.quota(account.id)
  const { timezone, quota_windows: kind, soft_delay: delay } = settings.get()
  const times = timesIn(timezone, Date.parse(clock.get().now))
  return html`<p class="soft">Account ${account.id}, ${account.email}${account.quotas !== null && ', with limits of its own'}</p>
<div class="gauges">${windowNames.map((name) => gauge(name, windows[name], times))}</div>
<p class="soft">${drainWords[kind]} ${delayWords[delay]}</p>`
}

/** From this share of the minute's limit on, answers are delayed (spec 8.3). */
const delayShare = 0.8

function gauge(name: string, { limit, used, remaining, resets_at: resetsAt }: WindowInfo, times: Times): Html {
  if (limit === null)
    return html`<div class="gauge unlimited"><span>${name}</span> <span>unlimited, ${used} used</span></div>`
  const back = resetsAt === null ? '' : `, back at ${times.second(nextWholeSecond(Date.parse(resetsAt)))}`
  const delayed = name === 'minute' && used < limit && used >= limit * delayShare ? ', answers are delayed' : ''
  const mark = name === 'minute' && html` class="marked"`
  const meter = html`<span${mark}><meter min="0" max="${Math.max(limit, 1)}" high="${limit * delayShare}" optimum="0" value="${Math.min(used, limit)}"></meter></span>`
  const text = `${used} of ${limit}, ${remaining} left${back}${delayed}`
  return html`<label class="gauge"><span>${name}</span>${meter}<span>${text}</span></label>`
}

/** How units come back, by the setting `quota_windows`. */
const drainWords: Readonly<Record<Settings['quota_windows'], string>> = {
  fixed: 'A window begins with its first charge and comes back whole at its end (quota_windows: fixed).',
  aligned: 'Windows follow the clock’s minutes, hours and days and come back whole (quota_windows: aligned).',
  sliding: 'Each charge comes back when the window’s length has passed since it (quota_windows: sliding).',
  sliding_counter:
    'The window before counts less and less, so units come back smoothly (quota_windows: sliding_counter).',
  token_bucket: 'Units come back one by one, evenly (quota_windows: token_bucket).',
}

const delayWords: Readonly<Record<Settings['soft_delay'], string>> = {
  linear: 'From the mark at 80 % of the minute on, answers are delayed by up to 2 s.',
  fixed: 'From the mark at 80 % of the minute on, answers are delayed by 2 s.',
  off: 'No answer is delayed.',
}
