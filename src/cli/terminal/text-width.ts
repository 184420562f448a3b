import stringWidth from 'string-width'

/** How many columns of a terminal a text takes: wide characters take two, combining ones none, links theirs alone. */
export function textWidth(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text)
}

/** A text cut at its end to fit a width. */
export function fitText(text: string, width: number, ellipsis = '…'): string {
  if (textWidth(text) <= width) return text
  const characters = charactersOf(text)
  return leading(characters, width - textWidth(ellipsis)).join('') + ellipsis
}

/** A text cut in its middle to fit a width, so that the ending of a file's name stays to be seen. */
export function fitMiddle(text: string, width: number, ellipsis = '…'): string {
  if (textWidth(text) <= width) return text
  const characters = charactersOf(text)
  const room = width - textWidth(ellipsis)
  const tail = leading(characters.toReversed(), Math.ceil(room / 2))
    .toReversed()
    .join('')
  return leading(characters, room - textWidth(tail)).join('') + ellipsis + tail
}

/** A text filled with spaces to a width. */
export function padText(text: string, width: number, side: 'left' | 'right' = 'right'): string {
  const padding = ' '.repeat(Math.max(width - textWidth(text), 0))
  return side === 'left' ? padding + text : text + padding
}

/** As readers see them: an accent belongs to its letter. */
function charactersOf(text: string): string[] {
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
}

function leading(characters: readonly string[], width: number): readonly string[] {
  let used = 0
  const end = characters.findIndex((character) => {
    used += textWidth(character)
    return used > width
  })
  return end === -1 ? characters : characters.slice(0, end)
}
