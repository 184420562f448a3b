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
