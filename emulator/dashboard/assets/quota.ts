import { windowNames } from '../../../src/protocol/rate-limits.ts'
import type { WindowInfo } from '../../control/account-control.ts'
import type { Settings } from '../../settings/settings.ts'
import { link } from './address.ts'
import { type Child, h } from './dom.ts'
import { known, times } from './view.ts'

export function quotaContent(): Child {
  const { quota, settings, accounts } = known
  if (quota === undefined || settings === undefined) return 'Loading'
  if (quota === null) return h('p', 'There is no account.')
  const gauges = windowNames.map((name) => gauge(name, quota.windows[name]))
  const others = accounts !== undefined && accounts.all > 1
  return [
    h('p.soft', `Account ${quota.account_id}, ${quota.email}${quota.is_own ? ', with limits of its own' : ''}`),
    h('div.gauges', gauges),
    h('p.soft', `${drainWords[settings.quota_windows]} ${delayWords[settings.soft_delay]}`),
    others && h('p', link('Choose another account', {}, 'accounts')),
  ]
}

/** From this share of the minute's limit on, answers are delayed (spec 8.3). */
const delayShare = 0.8

function gauge(name: string, window: WindowInfo | undefined): Child {
  if (window === undefined) return false
  const { limit, used, remaining, resets_at: resetsAt } = window
  if (limit === null) return h('div.gauge.unlimited', h('span', name), h('span', `unlimited, ${used} used`))
  const back = resetsAt === null ? '' : `, back at ${times().due(resetsAt)}`
  const delayed = name === 'minute' && used < limit && used >= limit * delayShare ? ', answers are delayed' : ''
  const bounds = { min: 0, max: Math.max(limit, 1), high: limit * delayShare, optimum: 0 }
  const meter = h('meter', { ...bounds, value: Math.min(used, limit) })
  return h(
    'label.gauge',
    h('span', name),
    h('span', name === 'minute' ? { class: 'marked' } : {}, meter),
    h('span', `${used} of ${limit}, ${remaining} left${back}${delayed}`),
  )
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
