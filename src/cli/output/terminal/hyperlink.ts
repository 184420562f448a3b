/**
 * A text that a terminal shows as a link (OSC 8). Only an address of the web becomes one, written out anew so that
 * nothing in it can end the sequence and steer the terminal.
 */
export function hyperlink(text: string, address: string): string {
  if (!URL.canParse(address)) return text
  const { protocol, href } = new URL(address)
  if (protocol !== 'https:' && protocol !== 'http:') return text
  return `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\`
}
