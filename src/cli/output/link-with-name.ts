import type { Palette } from './terminal/color.ts'
import type { TerminalTraits } from './terminal/terminal-traits.ts'
import { fitMiddle, textWidth } from './terminal/text-width.ts'

/** A shorter part of a name is not worth printing. */
const SHORTEST_NAME = 8

/** A link, and the name of its file if there is room and the link does not contain it. */
export function linkWithName(
  link: string,
  name: string,
  { traits, palette }: { readonly traits: TerminalTraits; readonly palette: Palette },
): string {
  const room = traits.width() - textWidth(link) - 3
  if (link.includes(name) || room < Math.min(SHORTEST_NAME, textWidth(name))) return link
  return `${link}  ${palette.faint(fitMiddle(name, room, traits.unicode ? '…' : '...'))}`
}
