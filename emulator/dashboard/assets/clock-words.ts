import type { ClockMode } from '../../clock/clock.ts'
import type { NextEvent } from '../../control/next-event.ts'

export const modeWords: Readonly<Record<ClockMode, string>> = {
  system: 'follows the clock of this machine, or the one it was created with',
  virtual: 'stands until it is moved',
  auto: 'moves by itself while a client in this process sleeps on it',
}

/** What happens next, without its time. */
export function eventWords(event: NextEvent): string {
  switch (event.kind) {
    case 'window':
      return `${event.window} window of account ${event.account_id} resets`
    case 'thumbnail':
      return `thumbnail of ${event.slug} is due`
    case 'sleep':
      return 'a client’s sleep ends'
  }
}

const units = [
  ['day', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** A span in its two largest units, in whole seconds, rounded up: `1 min 5 s`. */
export function spanText(ms: number): string {
  let left = Math.max(Math.ceil(ms / 1_000), 0)
  const parts: string[] = []
  for (const [unit, seconds] of units) {
    const count = Math.floor(left / seconds)
    left -= count * seconds
    if (count > 0) parts.push(`${count} ${unit}${unit === 'day' && count > 1 ? 's' : ''}`)
  }
  return parts.length === 0 ? '0 s' : parts.slice(0, 2).join(' ')
}
