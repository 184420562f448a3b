import { type WindowName, windowNames } from '../../../../src/protocol/rate-limits.ts'
import type { WindowReport } from '../../../service/quota/quota-keeper.ts'
import { type Html, html } from '../../html/html.ts'
import { countText, momentText } from '../../texts/quantities.ts'
import type { Visitor } from '../../visitor.ts'

/** How full each window of the account's quota is (spec 8). */
export function quotaGauges(visitor: Visitor, windows: Readonly<Record<WindowName, WindowReport>>): Html {
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
    return html`<p class="gauge"><strong>${quota.windows[name]}</strong> <span>${quota.unlimited(count(used))}</span></p>\n`
  }
  const back = resetsAt === null ? '' : quota.back(momentText(resetsAt, visitor))
  const text = `${quota.used(count(used), count(limit), count(remaining))}${back}`
  // From 80 % of the minute's limit answers may be delayed (spec 8.3); the others only refuse when they are full.
  const high = name === 'minute' ? Math.ceil(limit * 0.8) : Math.max(limit - 1, 0)
  return html`<label class="gauge"><strong>${quota.windows[name]}</strong>
<meter min="0" max="${Math.max(limit, 1)}" high="${high}" optimum="0" value="${Math.min(used, limit)}"></meter>
<span>${text}</span></label>\n`
}
