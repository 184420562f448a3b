import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import type { Palette, TerminalTraits } from './terminal.ts'

/** The width of a text in terminal columns: wide characters take two, combining characters and escapes none. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  if (text.length <= SLICE) return stringWidth(text)
  const visible = text.includes(ESCAPE) ? stripVTControlCharacters(text) : text
  return charactersOf(visible).reduce((sum, character) => sum + stringWidth(character), 0)
}

const ESCAPE = '\u001b'
/**
 * How much text is segmented at once, in UTF-16 units. Every segment object holds a copy of the whole input, so that
 * 64 KB at once would take 4 GB.
 */
const SLICE = 256

/** Longer than any terminal is wide, in UTF-16 units; measuring more would waste time. */
const LONGEST_SEEN = 4_096

/** A text, cut to the longest part that can be visible. */
export function seeable(text: string): string {
  return text.slice(0, LONGEST_SEEN)
}

export function fitText(whole: string, width: number, ellipsis = '…'): string {
  return cut(whole, width, ellipsis, 0)
}

/** A text cut in its middle to fit a width, so that the extension of a file name stays visible. */
export function fitMiddle(whole: string, width: number, ellipsis = '…'): string {
  return cut(whole, width, ellipsis, 1 / 2)
}

function cut(whole: string, width: number, ellipsis: string, tailShare: number): string {
  const text = seeable(whole)
  if (textWidth(text) <= width) return text
  const characters = charactersOf(text)
  const room = width - textWidth(ellipsis)
  const end = leading(characters.toReversed(), Math.ceil(room * tailShare))
  const tail = end.toReversed().join('')
  return leading(characters, room - textWidth(tail)).join('') + ellipsis + tail
}

export function padText(text: string, width: number, side: 'left' | 'right' = 'right'): string {
  const padding = ' '.repeat(Math.max(width - textWidth(text), 0))
  return side === 'left' ? padding + text : text + padding
}

/** Splits a text into graphemes: an accent belongs to its letter. */
function charactersOf(text: string): string[] {
  const segmenter = new Intl.Segmenter()
  const characters: string[] = []
  let open = ''
  for (let at = 0; at < text.length; at += SLICE) {
    const segments = [...segmenter.segment(open + text.slice(at, at + SLICE))]
    // The last grapheme may continue in the next slice, unless it is longer than any real one.
    const last = segments.pop()?.segment ?? ''
    for (const { segment } of segments) characters.push(segment)
    if (last.length >= SLICE) characters.push(last)
    open = last.length >= SLICE ? '' : last
  }
  return open === '' ? characters : [...characters, open]
}

function leading(characters: readonly string[], width: number): readonly string[] {
  let used = 0
  const end = characters.findIndex((character) => {
    used += textWidth(character)
    return used > width
  })
  return end === -1 ? characters : characters.slice(0, end)
}

/**
 * A text that terminals show as a link (OSC 8). Only http(s) URLs become links; they are normalised, so that they cannot
 * contain an escape sequence.
 */
export function hyperlink(text: string, address: string): string {
  const href = webAddress(address)
  return href === undefined ? text : `\u001b]8;;${href}\u001b\\${text}\u001b]8;;\u001b\\`
}

/** The normalised http(s) URL, which no program can take for a flag or a path; undefined for other text. */
export function webAddress(text: string): string | undefined {
  const { protocol = '', href } = URL.parse(text) ?? {}
  return /^https?:$/.test(protocol) ? href : undefined
}

/**
 * A bar that shows a share of a whole.
 *
 * @param share from 0 to 1; beyond is cut
 * @param width in columns, its ends included
 */
export function gauge(share: number, width: number, unicode: boolean): string {
  const room = width - 2
  const filled = Math.round(Math.min(Math.max(share, 0), 1) * room)
  const [left, full, empty, right] = unicode ? ['▕', '█', '░', '▏'] : ['[', '#', '-', ']']
  return `${left}${full?.repeat(filled)}${empty?.repeat(room - filled)}${right}`
}

/** A shorter part of a remark is not worth printing. */
const SHORTEST_REMARK = 8

/** A link, and beside it the first remark that has room; the last one is cut. The link alone where it says it already. */
export function besideLink(
  link: string,
  remarks: readonly string[],
  { traits, palette }: { readonly traits: TerminalTraits; readonly palette: Palette },
): string {
  const room = traits.width() - textWidth(link) - 3
  const remark = remarks.find((text) => textWidth(text) <= room) ?? remarks.at(-1) ?? ''
  if (link.includes(remark) || room < Math.min(SHORTEST_REMARK, textWidth(remark))) return link
  return `${link}  ${palette.faint(fitMiddle(remark, room, traits.unicode ? '…' : '...'))}`
}
