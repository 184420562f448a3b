import { formatByteSize, formatDuration, printable } from '../../format/format.ts'
import type { Palette } from '../terminal/terminal.ts'
import { fitMiddle, gauge, padText, textWidth } from '../terminal/terminal-text.ts'
import { waitText } from '../wire-text.ts'
import type { Transfer, Transfers } from './transfers.ts'

export interface ProgressStyle {
  readonly width: number
  readonly rows: number
  /** Epoch milliseconds, to say when a wait ends. */
  readonly now: number
  readonly palette: Palette
}

/** The first column has bars and names, and is always as wide. */
const WIDEST_COLUMN = 30

/** A line for the whole batch, unless it is a single file, then one for each file in transfer, as far as there is room. */
export function transferLines(transfers: Transfers, style: ProgressStyle): readonly string[] {
  const { underWay, total, ended, outcomes, share, rate, timeLeft } = transfers
  const pace = [
    ...(timeLeft ? [`${formatDuration(timeLeft)} left`] : []),
    ...(rate === undefined ? [] : [`${formatByteSize(Math.round(rate))}/s`]),
  ]
  const at = transfers.now()
  if (total === 1) return underWay.map((transfer) => transferLine(transfer, at, style, pace))
  const others = [...outcomes].filter(([word]) => !/^(up|down)loaded$/.test(word))
  const counts = [`${ended}/${total}`, ...others.map(([word, count]) => `${count} ${word}`)]
  const files = underWay.map((transfer) => transferLine(transfer, at, style))
  return [barLine(share, [...counts, ...pace], style), ...files].slice(0, style.rows)
}

function transferLine(transfer: Transfer, at: number, style: ProgressStyle, pace: readonly string[] = []): string {
  const { name, activity, size, bytes, since } = transfer
  const { width, palette, now } = style
  const column = columnOf(width)
  const start = `${padText(fitMiddle(printable(name), column), column)}  `
  const said = (text: string) => fitMiddle(text, width - column - 2)
  if (typeof activity !== 'string') {
    const ms = Math.max(since + activity.delayMs - at, 0)
    return start + palette.warning(said(waitText(activity, { ms, now })))
  }
  if (activity !== 'moving') return start + palette.faint(said(activity))
  if (size === undefined) return start + said([formatByteSize(bytes), ...pace].join(' · '))
  const percent = `${Math.floor((bytes / size) * 100)} %`
  return start + barLine(bytes / size, [percent, ...pace], { ...style, width: width - column - 2 }, column)
}

/** A bar, and of the texts those that have room beside it. */
function barLine(share: number, texts: readonly string[], { width, palette }: ProgressStyle, column = columnOf(width)) {
  const room = width - column - 1
  const [first = '', ...others] = texts
  const joined = others.reduce(
    (text, next) => {
      const longer = `${text} · ${next}`
      return textWidth(longer) <= room ? longer : text
    },
    fitMiddle(first, room),
  )
  return `${palette.success(gauge(share, column))} ${joined}`
}

function columnOf(width: number): number {
  return Math.min(Math.floor(width / 3) - 2, WIDEST_COLUMN)
}
