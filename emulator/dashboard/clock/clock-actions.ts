import { ConflictError } from '../../control/conflict-error.ts'
import { html } from '../../site/html/html.ts'
import { textOf } from '../form-fields.ts'
import { type Action, FieldError } from '../section.ts'

export const advanceClock: Action = async ({ control, fields }) => {
  await besideClockField('by', () => control.clock.advance(textOf(fields, 'by').trim()))
  return {}
}

export const setClock: Action = async ({ control, fields }) => {
  const before = control.clock.get().now
  const { now } = await besideClockField('at', () => control.clock.set(textOf(fields, 'at').trim()))
  if (now >= before) return {}
  return {
    notice: html`The clock was set back to ${now}. Quota windows keep their charges, as if the last had been made now.`,
  }
}

/** To the instant that the button named: pressed twice, it moves the clock once. */
export const moveToEvent: Action = async ({ control, fields }) => {
  const to = textOf(fields, 'to')
  if (Date.parse(to) <= Date.parse(control.clock.get().now)) {
    return { notice: html`The clock is already past that event.` }
  }
  await control.clock.set(to)
  return {}
}

export const switchClock: Action = async ({ control, fields }) => {
  await besideClockField('mode', () => control.clock.switchTo(textOf(fields, 'mode') as 'system'))
  return {}
}

/** A clock that cannot be moved at all is no fault of the field. */
async function besideClockField<Result>(name: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ConflictError || !(error instanceof Error)) throw error
    throw new FieldError(name, error.message)
  }
}
