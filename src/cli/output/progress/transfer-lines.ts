import { formatByteSize, formatDuration, formatMoved, printable } from '../../format/format.ts'
import type { OutcomeWord } from '../events.ts'
import type { Palette } from '../terminal/terminal.ts'
import { fitMiddle, fitText, gauge, padText, textWidth } from '../terminal/terminal-text.ts'
import { SECONDS_UP_TO_MS } from '../wire-text.ts'
import type { Activity, Transfer, Transfers } from './transfers.ts'

/** How progress is drawn. */
export interface ProgressStyle {
  readonly width: number
  readonly rows: number
  readonly unicode: boolean
  /** What the clock shows after so many milliseconds. */
  readonly clockIn: (ms: number) => string
  readonly palette: Palette
  /** The outcome of a finished transfer: `uploaded` or `downloaded`. */
  readonly verb: OutcomeWord
}

/** Narrower lines have no room for a bar next to the name. */
const NARROW = 50
const WIDEST_NAME = 32
const LEAST_BAR = 8
/** Of shorter waits the end is not told besides the length. */
const SHORT_WAIT_MS = 60_000

/** A line for the whole batch, unless it is a single file, then one for each file in transfer. */
export function transferLines(transfers: Transfers, now: number, style: ProgressStyle): readonly string[] {
  const { underWay, total } = transfers
  const [only] = underWay
  if (total === 1 && only !== undefined) {
    const pace = [...speedText(transfers.rate(now)), ...leftText(transfers.timeLeft(now))]
    return [transferLine(only, now, style, pace)]
  }
  const room = style.rows - 1
  const shown = underWay.length > room ? underWay.slice(0, Math.max(room - 1, 0)) : underWay
  const hidden = underWay.length - shown.length
  return [
    batchLine(transfers, now, style),
    ...shown.map((transfer) => transferLine(transfer, now, style)),
    ...(hidden > 0 && room > 0 ? [style.palette.faint(cut(`and ${hidden} more`, style.width, style))] : []),
  ]
}

/** Outcomes counted while the batch runs; the summary counts the files that were never started. */
const otherOutcomes: readonly OutcomeWord[] = ['failed', 'of unknown outcome', 'skipped']

function batchLine(transfers: Transfers, now: number, style: ProgressStyle): string {
  const { outcomes, total, bytes, share } = transfers
  const counts = [
    `${outcomes.get(style.verb) ?? 0}/${total} ${style.verb}`,
    ...otherOutcomes.flatMap((word) => (outcomes.has(word) ? [`${outcomes.get(word)} ${word}`] : [])),
  ]
  const [moved, speed] = [formatMoved(bytes), speedText(transfers.rate(now))]
  const left = leftText(transfers.timeLeft(now))
  const texts = [[counts, moved, speed, left], [counts, moved, left], [counts, left], [counts]].map((parts) =>
    parts.flat().join(style.unicode ? ' · ' : ', '),
  )
  const text = longestFitting(texts, style.width)
  const room = style.width - textWidth(text) - 1
  if (room < LEAST_BAR) return cut(text, style.width, style)
  return `${style.palette.success(gauge(share, Math.min(room, WIDEST_NAME), style.unicode))} ${text}`
}

/** @param pace what stands behind the bar: of several files, the line of the batch has the speed and the time left */
function transferLine(transfer: Transfer, now: number, style: ProgressStyle, pace: readonly string[] = []): string {
  const { name, activity, size } = transfer
  const { width, palette, unicode } = style
  const nameWidth = Math.min(WIDEST_NAME, Math.max(Math.floor(width / 3), 8))
  const start = `${padText(fitMiddle(printable(name), nameWidth, unicode), nameWidth)}  `
  const room = width - nameWidth - 2
  if (activity.type !== 'moving') {
    const text = cut(longestFitting(activityTexts(activity, now, style), room), room, style)
    const isHeld = activity.type === 'waiting' || activity.type === 'retrying'
    return start + (isHeld ? palette.warning(text) : palette.faint(text))
  }
  if (size === undefined) return start + cut([formatByteSize(activity.bytes), ...pace].join('  '), room, style)
  const percent = `${Math.floor((activity.bytes / size) * 100)} %`.padStart(5)
  const details = width < NARROW ? percent : [percent, ...pace].join('  ')
  const barWidth = Math.min(room - textWidth(details) - 1, WIDEST_NAME)
  if (barWidth < LEAST_BAR) return start + cut(details, room, style)
  return `${start}${palette.success(gauge(activity.bytes / size, barWidth, unicode))} ${details}`
}

/** From the longest wording to the shortest. */
function activityTexts(
  activity: Exclude<Activity, { type: 'moving' }>,
  now: number,
  { clockIn }: ProgressStyle,
): readonly string[] {
  switch (activity.type) {
    case 'waiting': {
      const left = activity.until - now
      const { window, source } = activity.wait
      const until = left < SHORT_WAIT_MS ? '' : `, until ${clockIn(left)}`
      const waiting = `waiting ${countdown(left)}`
      if (source === 'unavailable') return [`${waiting}${until}: the API is disabled`, `${waiting}: API disabled`]
      const quota = `${waiting} for the ${window === undefined ? '' : `${window} `}quota`
      const why =
        source === 'ledger' ? [] : [`${quota}${until}, ${source === 'guess' ? 'estimated ' : ''}after a refusal`]
      return [...why, `${quota}${until}`, quota, window === undefined ? waiting : `${waiting} (${window})`]
    }
    case 'retrying':
      return [`retry in ${countdown(activity.until - now)}: ${printable(activity.reason)}`]
    case 'storing':
      return ['sent, waiting for the answer', 'sent, not answered yet']
    case 'checking':
      return ['checking the list of uploads', 'checking the list']
    case 'preparing':
      return ['waiting to start', 'waiting']
  }
}

function longestFitting(texts: readonly string[], width: number): string {
  return texts.find((text) => textWidth(text) <= width) ?? texts.at(-1) ?? ''
}

function speedText(rate: number | undefined): readonly string[] {
  return rate === undefined ? [] : [`${formatByteSize(Math.round(rate))}/s`]
}

function leftText(ms: number | undefined): readonly string[] {
  return ms ? [`${countdown(ms)} left`] : []
}

/** Rounds up to whole seconds or minutes, so that a countdown is easy to read. */
function countdown(ms: number): string {
  const step = ms > SECONDS_UP_TO_MS ? 60_000 : 1_000
  return formatDuration(Math.max(Math.ceil(ms / step), 1) * step)
}

function cut(text: string, width: number, { unicode }: ProgressStyle): string {
  return fitText(text, Math.max(width, 4), unicode)
}
