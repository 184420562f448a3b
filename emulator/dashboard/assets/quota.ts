import { windowNames } from '../../../src/protocol/rate-limits.ts'
import type { WindowInfo } from '../../control/account-control.ts'
import { type Times, times } from './shown.ts'
import type { PageState } from './store.ts'
import { type View, view } from './view.ts'

export function quotaView(page: PageState): View {
  const { account, windows, settings, settingTypes = [] } = page
  if (settings === undefined) return 'Loading'
  if (account === undefined || windows === undefined) return view`<p>There is no account.</p>`
  const { description = '' } = settingTypes.find(({ name }) => name === 'quota_windows') ?? {}
  const [, meaning = ''] = description.split(`\`${settings.quota_windows}\`: `)
  const when = times(page)
  return view`<p class="soft">Account ${account.id}, ${account.email}${account.quotas !== null && ', with limits of its own'}</p>
    <div class="stack">${windowNames.map((name) => gauge(name, windows[name], when))}</div>
    <p class="soft">Units come back by <code>quota_windows</code>, <code>${settings.quota_windows}</code>: ${meaning.split(';')[0]}.
      From the mark at 80 % of the minute on, answers are delayed by <code>soft_delay</code>, <code>${settings.soft_delay}</code>.</p>`
}

/** From this share of the minute's limit on, answers are delayed (spec 8.3). */
const delayShare = 0.8

function gauge(name: string, window: WindowInfo | undefined, when: Times): View {
  if (window === undefined) return ''
  const { limit, used, remaining, resets_at: resetsAt } = window
  if (limit === null) return view`<div class="gauge"><strong>${name}</strong><span>unlimited, ${used} used</span></div>`
  const isMinute = name === 'minute'
  const [spent, all, left] = [used, limit, remaining ?? 0].map((units) => units.toLocaleString('en'))
  const back = resetsAt !== null && view`, back at <time>${when.due(resetsAt)}</time>`
  const delayed = isMinute && used < limit && used >= limit * delayShare ? ', answers are delayed' : ''
  return view`<label class="gauge"><strong>${name}</strong><span class=${isMinute && 'marked'}><meter min="0"
    max=${Math.max(limit, 1)} high=${limit * delayShare} optimum="0" value=${Math.min(used, limit)}></meter></span>
    <span>${spent} of ${all}, ${left} left${back}${delayed}</span></label>`
}
