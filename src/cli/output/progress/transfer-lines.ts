import { formatByteSize, formatDuration, formatMoved, printable } from '../../format/format.ts'
import type { OutcomeWord } from '../batch-text.ts'
import type { Palette } from '../terminal/terminal.ts'
import { fitMiddle, fitText, gauge, padText, textWidth } from '../terminal/terminal-text.ts'
import { SECONDS_UP_TO_MS } from '../wire-text.ts'
import type { PacingReason, Transfer } from './transfer-progress.ts'
import { bytesPerSecond } from './transfer-progress.ts'
import type { TimesLeft, TransferProgress } from './transfer-tracker.ts'

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

/** A line for the whole batch, unless it is a single file, then one for each file in transfer. */
export function transferLines(
  progress: TransferProgress,
  times: TimesLeft,
  now: number,
  look: ProgressStyle,
): readonly string[] {
  // Empty slots, at the end of a batch, are left out.
  const transfers = progress.slots.filter((transfer) => transfer !== undefined)
  const [only] = transfers
  // The line of a single file says all.
  if (progress.files.total === 1 && only !== undefined) return [transferLine(only, times, now, look)]
  const room = look.rows - 1
  const shown = transfers.length > room ? transfers.slice(0, Math.max(room - 1, 0)) : transfers
  const hidden = transfers.length - shown.length
  return [
    totalLine(progress, times.batch, look),
    ...shown.map((transfer) => transferLine(transfer, times, now, look)),
    ...(hidden > 0 && room > 0 ? [look.palette.faint(cut(`and ${hidden} more`, look))] : []),
  ]
}

/** Outcomes counted while the batch runs; the summary counts the files that were never started. */
const otherOutcomes: readonly OutcomeWord[] = ['failed', 'of unknown outcome', 'skipped']

function totalLine(
  { files, bytes, rate, share }: TransferProgress,
  left: number | undefined,
  look: ProgressStyle,
): string {
  const counts = [
    `${files.outcomes.get(look.verb) ?? 0}/${files.total} ${look.verb}`,
    ...otherOutcomes.flatMap((word) => (files.outcomes.has(word) ? [`${files.outcomes.get(word)} ${word}`] : [])),
  ]
  const moved = formatMoved(bytes)
  const [speed, end] = [speedText(rate), leftText(left)]
  const text = fitting(
    [[counts, moved, speed, end], [counts, moved, end], [counts, end], [counts]].map((parts) =>
      parts.flat().join(look.unicode ? ' · ' : ', '),
    ),
    look.width,
  )
  const room = look.width - textWidth(text) - 1
  const bar = room >= 8 ? `${gauge(share, Math.min(room, WIDEST_NAME), look.unicode)} ` : ''
  return bar === '' ? cut(text, look) : look.palette.success(bar) + text
}

function transferLine(transfer: Transfer, times: TimesLeft, now: number, look: ProgressStyle): string {
  const { width, palette } = look
  const name = printable(transfer.name)
  const nameWidth = Math.min(WIDEST_NAME, Math.max(Math.floor(width / 3), 8))
  const shownName = padText(fitMiddle(name, nameWidth, look.unicode ? '…' : '...'), nameWidth)
  const room = width - nameWidth - 2
  if (transfer.activity.type === 'moving')
    return `${shownName}  ${movingText(transfer, times.files.get(transfer.index), room, look)}`
  const wordings = activityWordings(transfer, now, look)
  const text = cut(fitting(wordings, room), { ...look, width: room })
  const isHeld = transfer.activity.type === 'waiting' || transfer.activity.type === 'retrying'
  return `${shownName}  ${isHeld ? palette.warning(text) : palette.faint(text)}`
}

function movingText(
  { activity, size }: Transfer,
  leftMs: number | undefined,
  room: number,
  look: ProgressStyle,
): string {
  if (activity.type !== 'moving') return ''
  const { bytes, meter } = activity
  const speed = speedText(bytesPerSecond(meter))
  if (size === undefined) return cut([formatByteSize(bytes), ...speed].join('  '), { ...look, width: room })
  const share = size === 0 ? 1 : bytes / size
  const percent = `${Math.floor(share * 100)} %`.padStart(5)
  const left = leftText(leftMs)
  const details = look.width < NARROW ? percent : [percent, ...speed, ...left].join('  ')
  const barRoom = room - textWidth(details) - 1
  if (barRoom < 6) return cut(details, { ...look, width: room })
  return `${look.palette.success(gauge(share, Math.min(barRoom, WIDEST_NAME), look.unicode))} ${details}`
}

function fitting(wordings: readonly string[], width: number): string {
  return wordings.find((wording) => textWidth(wording) <= width) ?? wordings.at(-1) ?? ''
}

/** From the longest wording to the shortest. */
function activityWordings({ activity }: Transfer, now: number, { clockIn }: ProgressStyle): readonly string[] {
  switch (activity.type) {
    case 'waiting': {
      const left = activity.until - now
      const until = left < SHORT_WAIT_MS ? '' : `, until ${clockIn(left)}`
      return waitReasons(activity.wait, until).map((reason) => `waiting ${formatDuration(steady(left))}${reason}`)
    }
    case 'retrying':
      return [`retry in ${formatDuration(steady(activity.until - now))}: ${printable(activity.reason)}`]
    case 'storing':
      return ['sent, waiting for the answer', 'sent, not answered yet']
    case 'checking':
      return ['checking the list of uploads', 'checking the list']
    default:
      return ['waiting to start', 'waiting']
  }
}

/** Of shorter waits the end is not told besides the length. */
const SHORT_WAIT_MS = 60_000

function waitReasons({ window, source }: PacingReason, until: string): readonly string[] {
  if (source === 'unavailable') return [`${until}: the API is disabled`, ': the API is disabled', ': API disabled']
  const quota = window === undefined ? ' for the quota' : ` for the ${window} quota`
  const short = window === undefined ? '' : ` (${window})`
  const brief = [`${quota}${until}`, quota, short]
  if (source === 'ledger') return brief
  return [`${quota}${until}, ${source === 'guess' ? 'estimated ' : ''}after a refusal`, ...brief]
}

function speedText(rate: number | undefined): readonly string[] {
  return rate === undefined ? [] : [`${formatByteSize(Math.round(rate))}/s`]
}

function leftText(ms: number | undefined): readonly string[] {
  return ms ? [`${formatDuration(steady(ms))} left`] : []
}

/** Rounds up to whole seconds or minutes, so that a countdown is easy to read. */
function steady(ms: number): number {
  const step = ms > SECONDS_UP_TO_MS ? 60_000 : 1_000
  return Math.max(Math.ceil(ms / step), 1) * step
}

function cut(text: string, { width, unicode }: Pick<ProgressStyle, 'width' | 'unicode'>): string {
  return fitText(text, Math.max(width, 4), unicode ? '…' : '...')
}
