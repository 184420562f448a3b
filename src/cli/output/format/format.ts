/** Characters that control a terminal or hide text: C0, DEL, C1, line separators, marks of text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern finds control characters
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Makes untrusted text safe to print: control characters become escapes such as `\x1b` or `\u202e`. */
export function printable(text: string): string {
  return text.replace(controls, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** One line of JSON that is safe to print: control characters are escaped, the value is the same. */
export function toJsonLine(value: unknown): string {
  return printableJson(JSON.stringify(value))
}

/** Makes untrusted JSON safe to print. Control characters can only occur within its strings, where they are escaped. */
export function printableJson(text: string): string {
  return text.replace(controls, (character) =>
    /[\n\r\t]/.test(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** `2026-11-21 09:30` in the local time zone; text that is not an ISO 8601 time with a zone stays as it is. */
export function formatDate(value: string): string {
  const { day, time } = localDate(value) ?? {}
  return day === undefined ? printable(value) : `${day} ${time}`
}

/** `2026-11-21 09:30:12 +02:00` in the local time zone. */
export function formatExactDate(value: string): string {
  const { day, time, seconds, zone } = localDate(value) ?? {}
  return day === undefined ? printable(value) : `${day} ${time}:${seconds} ${zone}`
}

/** Undefined for text without a time zone, since it does not determine a time. */
function localDate(value: string) {
  const isInstant = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/.test(value)
  const date = new Date(isInstant ? value : Number.NaN)
  if (Number.isNaN(date.getTime())) return undefined
  const east = -date.getTimezoneOffset()
  const [hours, minutes] = [Math.trunc(Math.abs(east) / 60), Math.abs(east) % 60]
  return {
    day: [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-'),
    time: [date.getHours(), date.getMinutes()].map(twoDigits).join(':'),
    seconds: twoDigits(date.getSeconds()),
    zone: `${east < 0 ? '-' : '+'}${[hours, minutes].map(twoDigits).join(':')}`,
  }
}

/** `7` as `07`. */
export function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

/** `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
