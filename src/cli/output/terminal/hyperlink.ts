/**
 * A text that terminals show as a link (OSC 8). Only http(s) URLs become links; they are normalised, so that they cannot
 * contain an escape sequence.
 */
export function hyperlink(text: string, address: string): string {
  if (!URL.canParse(address)) return text
  const { protocol, href } = new URL(address)
  if (protocol !== 'https:' && protocol !== 'http:') return text
  return `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\`
}
