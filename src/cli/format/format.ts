/** Characters that control a terminal or hide text: C0, DEL, C1, line separators, marks of text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern finds control characters
export const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

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

/** A path, or a URL without its query, which may hold a signature. */
export function shownFile(file: string): string {
  return file.replace(/^([a-z][a-z\d+.-]+:\/\/[^?#]*)[?#].*/is, '$1')
}
