/** Characters that steer a terminal or hide what follows: C0, DEL, C1, line separators, marks that change direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is what it is for
const steering = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Makes another's text safe to print: what would steer the terminal is shown as its escape, `\x1b`, `\u202e`. */
export function printable(text: string): string {
  return text.replace(steering, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** One line of JSON that is safe to print: the same value, steering characters escaped. */
export function toJsonLine(value: unknown): string {
  return printableJson(JSON.stringify(value))
}

/** Another's JSON, safe to print: what would steer the terminal can only stand within its texts, where it is escaped. */
export function printableJson(text: string): string {
  return text.replace(steering, (character) =>
    /[\n\r\t]/.test(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** `2026-11-21 09:30`, in the zone the service wrote it in; whatever is no such date as it came. */
export function formatDate(value: string): string {
  const { day, time } = dateParts(value) ?? {}
  return day === undefined ? printable(value) : `${day} ${time}`
}

/** `2026-11-21 09:30:12 +02:00`: all a date says but its fractions. */
export function formatExactDate(value: string): string {
  const { day, time, seconds = '', zone = '' } = dateParts(value) ?? {}
  return day === undefined ? printable(value) : `${day} ${time}${seconds} ${zone}`.trimEnd()
}

function dateParts(value: string): Readonly<Partial<Record<'day' | 'time' | 'seconds' | 'zone', string>>> | undefined {
  const form =
    /^(?<day>\d{4}-\d{2}-\d{2})[T ](?<time>\d{2}:\d{2})(?<seconds>:\d{2})?(?:\.\d+)?(?<zone>Z|[+-]\d{2}:?\d{2})?$/
  return form.exec(value)?.groups
}

/** `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
