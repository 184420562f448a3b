import type { ClockInfo } from '../../control/clock-control.ts'
import { call } from './api.ts'
import { eventWords, modeWords, spanText } from './clock-words.ts'
import { type Child, h } from './dom.ts'
import { fieldForm, options, pressButton, pressForm, quietly, typed } from './forms.ts'
import { wallTime } from './shown.ts'
import { known, type Live } from './view.ts'

/** By the text of the button. */
const steps = { '+1 s': '1s', '+1 min': '1m', '+1 h': '1h', '+1 day': '1d' }

export function clockContent(): Child {
  const { clock, settings } = known
  if (clock === undefined || settings === undefined) return 'Loading'
  const { timezone } = settings
  const now = wallTime(Date.parse(clock.now), timezone)
  const isFixed = clock.mode === 'system'
  return [
    h('p.now', h('time', { datetime: clock.now }, now), ` ${timezone} `, h('span.soft', clock.now)),
    h('p', 'Mode ', h('strong', clock.mode), `: ${modeWords[clock.mode]}. Next: ${nextText(clock, timezone)}.`),
    pressForm(
      { name: 'clock/step', field: 'by', props: { class: 'row' }, act: advance },
      Object.entries(steps).map(([text, by]) =>
        h('button.quiet', { name: 'by', value: by, id: `step-${by}`, disabled: isFixed }, text),
      ),
    ),
    nextButton(clock),
    isFixed && [
      pressButton({ name: 'clock/virtual', act: () => switchTo('virtual') }, 'Switch to virtual'),
      h('p.soft', 'These buttons move a virtual clock. Switching to virtual stops the clock at the present time.'),
    ],
    h(
      'div.forms',
      fieldForm(
        { name: 'clock/advance', field: 'by', act: advance },
        'Advance by',
        { props: { placeholder: '90s, 5m, 2h, 1d', required: true } },
        'Advance',
      ),
      fieldForm(
        { name: 'clock/set', field: 'at', act: set },
        'Set to',
        { props: { value: clock.now, required: true, size: 21 } },
        'Set',
      ),
      fieldForm(
        { name: 'clock/mode', field: 'mode', act: (fields) => switchTo(typed(fields, 'mode')) },
        'Mode',
        { tag: 'select', children: options(Object.keys(modeWords), clock.mode) },
        'Switch',
      ),
    ),
    h('p.soft', 'While the clock stands, the limit of sign-in tries and the age of sessions stand too.'),
  ]
}

const move = (change: object) => call<ClockInfo>('POST', '/clock', change)

const advance = (fields: FormData) => move({ advance: typed(fields, 'by') }).then(quietly)

const switchTo = (mode: string) => move({ mode }).then(quietly)

async function set(fields: FormData): Promise<Child> {
  const before = known.clock?.now ?? ''
  const { now } = await move({ set: typed(fields, 'at') })
  if (Date.parse(now) >= Date.parse(before)) return ''
  return `The clock was set back to ${now}. Quota windows keep their charges, as if the last had been made now.`
}

/** To the instant that the button named: pressed twice, it moves the clock once. */
function nextButton({ next, now, mode }: Live['clock']): Child {
  if (next === null) return false
  const act = async (): Promise<Child> => {
    const { now: present } = await call<ClockInfo>('GET', '/clock')
    if (Date.parse(next.at) <= Date.parse(present)) return 'The clock is already past that event.'
    await move({ set: next.at })
    return ''
  }
  const text = `To the next event (${eventWords(next)}, ${spanText(Date.parse(next.at) - Date.parse(now))})`
  return pressButton({ name: 'clock/next', act }, text, { id: 'step-next', disabled: mode === 'system' })
}

function nextText({ next, now }: Live['clock'], timezone: string): string {
  if (next === null) return 'nothing'
  const at = Date.parse(next.at)
  return `${eventWords(next)} in ${spanText(at - Date.parse(now))}, at ${wallTime(at, timezone)}`
}
