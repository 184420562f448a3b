import { clockModes } from '../../clock/clock.ts'
import type { NextEvent } from '../../control/next-event.ts'
import { type Html, html } from '../../site/html/html.ts'
import { choice, field, formTo, liveRegion } from '../form.ts'
import { pressProblem } from '../press-problem.ts'
import type { Section, View } from '../section.ts'
import { advanceClock, moveToEvent, setClock, switchClock } from './clock-actions.ts'
import { eventWords, modeWords, spanText, wallTime } from './clock-words.ts'

export const clockSection: Section = {
  name: 'clock',
  heading: 'Clock',
  live: liveClock,
  view: (view) => html`${liveRegion('clock', liveClock(view))}
${pressProblem(view, ['clock/step', 'clock/next'])}<div class="forms">
${formTo(
  view,
  'clock/advance',
  html`${field({ view, action: 'clock/advance', name: 'by', label: 'Advance by', placeholder: '90s, 5m, 2h, 1d', isRequired: true })}<button class="quiet">Advance</button>`,
)}
${formTo(
  view,
  'clock/set',
  html`${field({ view, action: 'clock/set', name: 'at', label: 'Set to', value: view.control.clock.get().now, isRequired: true })}<button class="quiet">Set</button>`,
)}
${formTo(
  view,
  'clock/mode',
  html`${choice({
    view,
    action: 'clock/mode',
    name: 'mode',
    label: 'Mode',
    value: view.control.clock.get().mode,
    options: clockModes.map((mode) => [mode, `${mode}: ${modeWords[mode]}`]),
  })}<button class="quiet">Switch</button>`,
)}
</div>
<p class="soft">While the clock stands, the limit of sign-in tries and the age of sessions stand too.</p>`,
  actions: {
    advance: advanceClock,
    step: advanceClock,
    next: moveToEvent,
    set: setClock,
    mode: switchClock,
  },
}

/** By the text of the button. */
const steps = { '+1 s': '1s', '+1 min': '1m', '+1 h': '1h', '+1 day': '1d' }

/** The time, and the buttons that move it. What was wrong with a press stands below, where it is not replaced. */
function liveClock(view: View): Html {
  const { clock, settings } = view.control
  const { now, mode } = clock.get()
  const { timezone } = settings.get()
  const epochMs = Date.parse(now)
  const next = clock.next()
  const isFixed = mode === 'system'
  const calm = { ...view, refused: undefined }
  const whole = `${now.slice(0, 19)}Z`
  return html`<p class="now"><time datetime="${whole}">${wallTime(epochMs, timezone)}</time> ${timezone} <span class="soft">${whole}</span></p>
<p>Mode <strong>${mode}</strong>: ${modeWords[mode]}. Next: ${nextText(next, epochMs, timezone)}.</p>
<div class="row">${formTo(
    calm,
    'clock/step',
    html`${Object.entries(steps).map(
      ([text, by]) =>
        html`<button class="quiet" name="by" value="${by}" id="step-${by}"${isFixed && html` disabled`}>${text}</button>`,
    )}`,
    { className: 'row' },
  )}${
    next !== null &&
    formTo(
      calm,
      'clock/next',
      html`<button class="quiet" id="step-next"${isFixed && html` disabled`}>To the next event (${eventWords(next)}, ${spanText(
        Date.parse(next.at) - epochMs,
      )})</button>`,
      { fields: { to: next.at } },
    )
  }${
    isFixed &&
    formTo(calm, 'clock/mode', html`<button id="step-virtual">Switch to virtual</button>`, {
      fields: { mode: 'virtual' },
    })
  }</div>
${isFixed && html`<p class="soft">These buttons move a virtual clock. Switching to virtual stops the clock at the present time.</p>`}`
}

function nextText(next: NextEvent | null, now: number, timezone: string): string {
  if (next === null) return 'nothing'
  const at = Date.parse(next.at)
  return `${eventWords(next)} in ${spanText(at - now)}, at ${wallTime(at, timezone)}`
}
