import type { ProcessOwner } from '../../system/process-identity.ts'
import { bookMemoryMs } from '../quota-model/quota-model.ts'
import type { LedgerLine } from './ledger-line.ts'

type Reserve = Extract<LedgerLine, { type: 'reserve' }>
type Ending = Extract<LedgerLine, { type: 'settle' | 'cancel' }>

/** What is younger is kept as it was: the shorter windows look back that far, and at single requests. */
const VERBATIM_MS = 2 * 3_600_000
const MERGED_MS = 60_000

/**
 * The lines that are still needed to know what a key has left. Those of long ago are merged minute by minute, all units
 * of a minute counting from its last answer: never fewer than were charged, and never for too short.
 */
export function compactLines(all: readonly LedgerLine[], now: number): readonly LedgerLine[] {
  const lines = notForgotten(all)
  const endings = firstEndings(lines)
  const minutes = new Map<number, Minute>()
  const keptIds = new Set<string>()
  const refusals: Past[] = []
  const kept = lines.filter((line) => {
    if (line.type === 'settle' || line.type === 'cancel') return keptIds.has(line.id) && endings.get(line.id) === line
    if (line.type !== 'reserve') return false
    const fate = fateOf(endings.get(line.id), now)
    if (fate.type === 'merge') addTo(minutes, line, fate)
    if (fate.type === 'lesson') refusals.push(lessonOf(line, fate.outcome))
    if (fate.type === 'keep') keptIds.add(line.id)
    return fate.type === 'keep'
  })
  // In the order of time: a line that is dated before the one above it looks like a clock that was set back.
  const past = [...[...minutes.values()].map(pastMinute), ...refusals].sort((a, b) => a.endedAt - b.endedAt)
  return [...past.flatMap((one) => one.lines), ...kept]
}

/** What is over for long, as the lines that are left of it. */
interface Past {
  readonly endedAt: number
  readonly lines: readonly LedgerLine[]
}

type Answered = Extract<Extract<LedgerLine, { type: 'settle' }>['outcome'], { type: 'answered' }>

type Fate =
  | { readonly type: 'keep' | 'drop' }
  | { readonly type: 'lesson'; readonly outcome: Answered }
  | { readonly type: 'merge'; readonly at: number; readonly cost: number | undefined }

function fateOf(ending: Ending | undefined, now: number): Fate {
  if (ending === undefined) return { type: 'keep' }
  if (ending.type === 'cancel' || ending.outcome.type === 'not-sent') return { type: 'drop' }
  const { outcome } = ending
  const ageMs = now - outcome.at
  if (ageMs > bookMemoryMs) return { type: 'drop' }
  // What a refusal teaches is more than what it cost.
  if (ageMs <= VERBATIM_MS) return { type: 'keep' }
  if (outcome.type === 'answered' && (outcome.status === 429 || outcome.status === 503)) {
    return { type: 'lesson', outcome }
  }
  const told = outcome.type === 'answered' && outcome.status < 300 ? outcome.report.cost : undefined
  return { type: 'merge', at: outcome.at, cost: told }
}

/** What stands behind the last line that forgets, and what was under way there. */
function notForgotten(lines: readonly LedgerLine[]): readonly LedgerLine[] {
  const index = lines.findLastIndex(({ type }) => type === 'forget')
  if (index < 0) return lines
  const before = lines.slice(0, index)
  const ended = firstEndings(before)
  return [...before.filter((line) => line.type === 'reserve' && !ended.has(line.id)), ...lines.slice(index + 1)]
}

/** Of several settlements of one reservation, as by its owner and by one who took it for gone, the first counts. */
function firstEndings(lines: readonly LedgerLine[]): Map<string, Ending> {
  const endings = new Map<string, Ending>()
  for (const line of lines) {
    if ((line.type === 'settle' || line.type === 'cancel') && !endings.has(line.id)) endings.set(line.id, line)
  }
  return endings
}

interface Minute {
  readonly id: string
  readonly owner: ProcessOwner
  readonly endedAt: number
  readonly cost: number
}

function addTo(minutes: Map<number, Minute>, { id, owner, cost }: Reserve, fate: Fate & { type: 'merge' }): void {
  const minute = Math.floor(fate.at / MERGED_MS)
  const before = minutes.get(minute) ?? { id, owner, endedAt: fate.at, cost: 0 }
  minutes.set(minute, {
    id: before.id,
    owner: before.owner,
    endedAt: Math.max(before.endedAt, fate.at),
    cost: before.cost + (fate.cost || cost),
  })
}

/** As one request that was sent and not answered: such a one is charged, and nothing else is known of it. */
function pastMinute({ id, owner, endedAt, cost }: Minute): Past {
  const outcome = { type: 'unanswered', at: endedAt } as const
  return {
    endedAt,
    lines: [
      { type: 'reserve', id, owner, at: endedAt, cost },
      { type: 'settle', id, outcome },
    ],
  }
}

/** What it told of the service's clock belongs to the time at which it was sent, and that is left out. */
function lessonOf({ id, owner, cost }: Reserve, { report: _, ...outcome }: Answered): Past {
  const { at } = outcome
  const settled: LedgerLine = { type: 'settle', id, outcome: { ...outcome, report: {} } }
  return { endedAt: at, lines: [{ type: 'reserve', id, owner, at, cost }, settled] }
}
