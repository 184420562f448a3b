import type { Outcome } from '../../batch/records.ts'
import { formatByteSize, formatMoved } from '../format/byte-size.ts'
import { formatDuration } from '../format/duration.ts'
import { printable } from '../format/format.ts'
import type { Palette } from '../terminal/color.ts'
import { fitMiddle, fitText, padText, textWidth } from '../terminal/text-width.ts'
import { gauge } from './gauge.ts'
import { rateOf, type Transfer, type TransferProgress, timeLeft } from './transfer-progress.ts'

/** How progress is drawn. */
export interface Look {
  /** In columns; no line is wider. */
  readonly width: number
  readonly unicode: boolean
  readonly palette: Palette
  /** What is done to a file: `uploaded`, `downloaded`. */
  readonly verb: Outcome
}

/** Below this there is no room for a bar beside the name. */
const NARROW = 50
const WIDEST_NAME = 32

/** The run as a whole, then one line for each file on its way. */
export function transferLines(progress: TransferProgress, now: number, look: Look): readonly string[] {
  // Towards the end slots stay empty: what is left closes up.
  const files = progress.slots.flatMap((transfer) =>
    transfer === undefined ? [] : [transferLine(transfer, now, look)],
  )
  return [totalLine(progress, now, look), ...files]
}

/** What is not to be missed while the rest goes on; of what was never started the end tells. */
const otherOutcomes: readonly Outcome[] = ['failed', 'of unknown outcome', 'skipped']

function totalLine(progress: TransferProgress, now: number, look: Look): string {
  const { files, bytes } = progress
  const left = timeLeft(progress, now)
  const parts = [
    `${files.outcomes.get(look.verb) ?? 0}/${files.total} ${look.verb}`,
    ...otherOutcomes.flatMap((word) => (files.outcomes.has(word) ? [`${files.outcomes.get(word)} ${word}`] : [])),
    ...formatMoved(bytes),
    ...(left === undefined ? [] : [`${formatDuration(steady(left))} left`]),
  ]
  const words = parts.join(look.unicode ? ' · ' : ', ')
  const room = look.width - textWidth(words) - 1
  const bar = room >= 8 ? `${gauge(progress.share, Math.min(room, WIDEST_NAME), look.unicode)} ` : ''
  return bar === '' ? cut(words, look) : look.palette.success(bar) + words
}

function transferLine(transfer: Transfer, now: number, look: Look): string {
  const { width, palette } = look
  const name = printable(transfer.name)
  const nameWidth = Math.min(WIDEST_NAME, Math.max(Math.floor(width / 3), 8))
  const shownName = padText(fitMiddle(name, nameWidth, look.unicode ? '…' : '...'), nameWidth)
  const room = width - nameWidth - 2
  if (transfer.activity.type === 'moving') return `${shownName}  ${movingWords(transfer, now, room, look)}`
  const wordings = activityWords(transfer, now)
  const words =
    wordings.find((wording) => textWidth(wording) <= room) ?? cut(wordings.at(-1) ?? '', { ...look, width: room })
  const isHeld = transfer.activity.type === 'waiting' || transfer.activity.type === 'retrying'
  return `${shownName}  ${isHeld ? palette.warning(words) : palette.faint(words)}`
}

function movingWords(transfer: Transfer, now: number, room: number, look: Look): string {
  const { activity, size } = transfer
  const bytes = activity.type === 'moving' ? activity.bytes : 0
  const rate = rateOf(transfer, now)
  const speed = rate === undefined ? [] : [`${formatByteSize(Math.round(rate))}/s`]
  if (size === undefined) return cut([formatByteSize(bytes), ...speed].join('  '), { ...look, width: room })
  const share = size === 0 ? 1 : bytes / size
  const percent = `${Math.floor(share * 100)} %`.padStart(5)
  const left = rate === undefined ? [] : [`${formatDuration(steady(((size - bytes) / rate) * 1_000))} left`]
  const words = [percent, ...speed, ...left]
  const details = look.width < NARROW ? percent : words.join('  ')
  const barRoom = room - textWidth(details) - 1
  if (barRoom < 6) return cut(details, { ...look, width: room })
  return `${look.palette.success(gauge(share, Math.min(barRoom, WIDEST_NAME), look.unicode))} ${details}`
}

/** From the fullest wording to the shortest. */
function activityWords({ activity }: Transfer, now: number): readonly string[] {
  switch (activity.type) {
    case 'waiting':
      return waitReasons(activity.wait).map(
        (reason) => `waiting ${formatDuration(steady(activity.until - now))}${reason}`,
      )
    case 'retrying':
      return [`again in ${formatDuration(steady(activity.until - now))}: ${printable(activity.reason)}`]
    case 'storing':
      return ['sent, waiting for the answer', 'sent, not answered yet']
    case 'checking':
      return ['looking at the list for what became of it', 'looking at the list']
    case 'queued':
      return ['waiting for its turn: one of its size goes first', 'waits for one of its size', 'waiting for its turn']
    default:
      return ['waiting for its turn']
  }
}

function waitReasons({
  window,
  source,
}: {
  readonly window: string | undefined
  readonly source: string
}): readonly string[] {
  if (source === 'unavailable') return [': the service is switched off', ': switched off']
  const quota = window === undefined ? ' for the quota' : ` for the ${window} quota`
  const short = window === undefined ? '' : ` (${window})`
  if (source === 'ledger') return [quota, short]
  return [`${quota}, ${source === 'guess' ? 'a guess ' : ''}after a refusal`, quota, short]
}

/** So far ahead nobody waits for the second. */
const SECONDS_UP_TO_MS = 600_000

/** A countdown that changes with every tenth of a second is hard to read. */
function steady(ms: number): number {
  const step = ms > SECONDS_UP_TO_MS ? 60_000 : 1_000
  return Math.max(Math.ceil(ms / step), 1) * step
}

function cut(text: string, { width, unicode }: Pick<Look, 'width' | 'unicode'>): string {
  return fitText(text, Math.max(width, 4), unicode ? '…' : '...')
}
