import type { ClockInfo } from '../../control/clock-control.ts'
import { call } from './emulator.ts'
import { fieldForm, form } from './forms.ts'
import { typed } from './input.ts'
import { wallTime } from './shown.ts'
import { type PageState, say } from './store.ts'
import { type View, view } from './view.ts'

const modes = {
  system: 'follows the clock of this machine, or the one it was created with; +1 s and the like move a virtual clock',
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
  const isFixed = mode === 'system'
  const stepButtons = Object.entries(steps).map(
    ([text, by]) => view`<button class="quiet" name="by" value=${by} ?disabled=${isFixed}>${text}</button>`,
  )
  const modeButtons = Object.keys(modes).map(
    (name) => name !== mode && view`<button class="quiet" name="mode" value=${name}>Switch to ${name}</button>`,
  )
  const free = { name: 'by', label: 'Advance by', placeholder: '90s, 5m, 2h, 1d', required: true }
  return view`<p class="now"><time datetime=${now}>${wallTime(Date.parse(now), settings.timezone)}</time> ${settings.timezone}
      <time class="soft">${now}</time></p>
    <p>Mode <strong>${mode}</strong>: ${modes[mode]}.</p>
    ${form('clock/step', advance, stepButtons, 'row')}
    <div class="forms">
      ${fieldForm('clock/advance', [free], 'Advance', advance)}
      ${fieldForm('clock/set', [{ name: 'at', label: 'Set to', value: now, required: true }], 'Set', (fields) => set(fields, now))}
    </div>
    ${form('clock/mode', (fields) => move({ mode: typed(fields, 'mode') }), modeButtons, 'row')}
    <p class="soft">While the clock stands, the limit of sign-in tries and the age of sessions stand too.</p>`
}

async function set(fields: FormData, before: string): Promise<void> {
  const { now } = await move({ set: typed(fields, 'at') })
  if (Date.parse(now) >= Date.parse(before)) return
  say('clock', `The clock was set back to ${now}. Quota windows keep their charges, as if the last had been made now.`)
}
