import type { ClockMode } from '../../clock/clock.ts'
import type { ClockInfo } from '../../control/clock-control.ts'
import type { NextEvent } from '../../control/next-event.ts'
import { call } from './api.ts'
import { fieldForm, form, pressButton } from './forms.ts'
import { typed } from './input.ts'
import { spanText, wallTime } from './shown.ts'
import { type Live, type PageState, say } from './store.ts'
import { type View, view } from './view.ts'

const modeWords: Readonly<Record<ClockMode, string>> = {
  system: 'follows the clock of this machine, or the one it was created with',
  virtual: 'stands until it is moved',
  auto: 'moves by itself while a client in this process sleeps on it',
}

/** By the text of the button. */
const steps = { '+1 s': '1s', '+1 min': '1m', '+1 h': '1h', '+1 day': '1d' }

const move = (change: object) => call<ClockInfo>('POST', '/clock', change)
const advance = (fields: FormData) => move({ advance: typed(fields, 'by') })

export function clockView({ clock, settings }: PageState): View {
  if (clock === undefined || settings === undefined) return 'Loading'
  const { now, mode } = clock
  const { timezone } = settings
  const isFixed = mode === 'system'
  const stepButtons = Object.entries(steps).map(
    ([text, by]) => view`<button class="quiet" name="by" value=${by} ?disabled=${isFixed}>${text}</button>`,
  )
  const free = { name: 'by', label: 'Advance by', placeholder: '90s, 5m, 2h, 1d', required: true }
  const modes = { name: 'mode', label: 'Mode', value: mode, values: Object.keys(modeWords) }
  return view`<p class="now"><time datetime=${now}>${wallTime(Date.parse(now), timezone)}</time> ${timezone}
      <span class="soft">${now}</span></p>
    <p>Mode <strong>${mode}</strong>: ${modeWords[mode]}. Next: ${nextText(clock, timezone)}.</p>
    <div class="row">${form({ name: 'clock/step', act: advance }, stepButtons, 'row')}${nextButton(clock)}</div>
    ${
      isFixed &&
      view`${pressButton('clock/virtual', 'Switch to virtual', () => move({ mode: 'virtual' }))}
        <p class="soft">These buttons move a virtual clock. Switching to virtual stops the clock at the present time.</p>`
    }
    <div class="forms">
      ${fieldForm('clock/advance', [free], 'Advance', advance)}
      ${fieldForm('clock/set', [{ name: 'at', label: 'Set to', value: now, required: true }], 'Set', (fields) => set(fields, now))}
      ${fieldForm('clock/mode', [modes], 'Switch', (fields) => move({ mode: typed(fields, 'mode') }))}
    </div>
    <p class="soft">While the clock stands, the limit of sign-in tries and the age of sessions stand too.</p>`
}

async function set(fields: FormData, before: string): Promise<void> {
  const { now } = await move({ set: typed(fields, 'at') })
  if (Date.parse(now) >= Date.parse(before)) return
  say('clock', `The clock was set back to ${now}. Quota windows keep their charges, as if the last had been made now.`)
}

/** To the instant that the page tells: pressed twice, it moves the clock once. */
function nextButton({ next, mode }: Live['clock']): View {
  if (next === null) return ''
  const act = async () => {
    const { now: present } = await call<ClockInfo>('GET', '/clock')
    if (Date.parse(next.at) > Date.parse(present)) return move({ set: next.at })
    return say('clock', 'The clock is already past that event.')
  }
  return pressButton('clock/next', 'To the next event', act, { disabled: mode === 'system' })
}

function nextText({ next, now }: Live['clock'], timezone: string): string {
  if (next === null) return 'nothing'
  const at = Date.parse(next.at)
  return `${eventWords(next)} in ${spanText(at - Date.parse(now))}, at ${wallTime(at, timezone)}`
}

/** What happens next, without its time. */
function eventWords(event: NextEvent): string {
  if (event.kind === 'window') return `${event.window} window of account ${event.account_id} resets`
  return event.kind === 'thumbnail' ? `thumbnail of ${event.slug} is due` : 'a client’s sleep ends'
}
