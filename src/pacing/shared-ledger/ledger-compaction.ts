import type { ProcessOwner } from '../../system/process-identity.ts'
import { quotaMemoryMs } from '../quota-model/quota-model.ts'
import type { LedgerLine } from './ledger-line.ts'

type Reserve = Extract<LedgerLine, { type: 'reserve' }>
type Ending = Extract<LedgerLine, { type: 'settle' | 'cancel' }>

/** Younger lines are kept as they are, because the shorter windows count single requests. */
const VERBATIM_MS = 2 * 3_600_000
const MERGED_MS = 60_000

/**
 * The lines that still matter for a key's quota. Old requests are merged by the minute and dated by the minute's last
 * answer, so that their units count in full and long enough.
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
    const treatment = treatmentOf(endings.get(line.id), now)
    if (treatment.type === 'merge') addTo(minutes, line, treatment)
    if (treatment.type === 'refusal') refusals.push(pastRefusal(line, treatment.outcome))
    if (treatment.type === 'keep') keptIds.add(line.id)
    return treatment.type === 'keep'
  })
  // Sorted by time: a line dated before the one above it would look like a clock that was set back.
  const past = [...[...minutes.values()].map(pastMinute), ...refusals].sort((a, b) => a.endedAt - b.endedAt)
  return [...past.flatMap((one) => one.lines), ...kept]
}

/** The lines that replace old requests. */
interface Past {
  readonly endedAt: number
  readonly lines: readonly LedgerLine[]
}

type Answered = Extract<Extract<LedgerLine, { type: 'settle' }>['outcome'], { type: 'answered' }>

type Treatment =
  | { readonly type: 'keep' | 'omit' }
  | { readonly type: 'refusal'; readonly outcome: Answered }
  | { readonly type: 'merge'; readonly at: number; readonly cost: number | undefined }

function treatmentOf(ending: Ending | undefined, now: number): Treatment {
  if (ending === undefined) return { type: 'keep' }
  if (ending.type === 'cancel' || ending.outcome.type === 'not-sent') return { type: 'omit' }
  const { outcome } = ending
  const ageMs = now - outcome.at
  if (ageMs > quotaMemoryMs) return { type: 'omit' }
  if (ageMs <= VERBATIM_MS) return { type: 'keep' }
  // A refusal is not merged, because the model learns more from it than its cost.
  if (outcome.type === 'answered' && (outcome.status === 429 || outcome.status === 503)) {
    return { type: 'refusal', outcome }
  }
  const told = outcome.type === 'answered' && outcome.status < 300 ? outcome.report.cost : undefined
  return { type: 'merge', at: outcome.at, cost: told }
}

/** The lines after the last `forget`, and the requests that were under way at it. */
function notForgotten(lines: readonly LedgerLine[]): readonly LedgerLine[] {
  const index = lines.findLastIndex(({ type }) => type === 'forget')
  if (index < 0) return lines
  const before = lines.slice(0, index)
  const ended = firstEndings(before)
  return [...before.filter((line) => line.type === 'reserve' && !ended.has(line.id)), ...lines.slice(index + 1)]
}

/** The first ending of each reservation: its owner and a process that believed the owner gone may both write one. */
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

function addTo(
  minutes: Map<number, Minute>,
  { id, owner, cost }: Reserve,
  treatment: Treatment & { type: 'merge' },
): void {
  const minute = Math.floor(treatment.at / MERGED_MS)
  const before = minutes.get(minute) ?? { id, owner, endedAt: treatment.at, cost: 0 }
  minutes.set(minute, {
    id: before.id,
    owner: before.owner,
    endedAt: Math.max(before.endedAt, treatment.at),
    cost: before.cost + (treatment.cost || cost),
  })
}

/** As one request that was sent and not answered, which counts as charged and teaches nothing. */
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

/** Without its report: the time it was sent, which the report refers to, is not kept. */
function pastRefusal({ id, owner, cost }: Reserve, { report: _, ...outcome }: Answered): Past {
  const { at } = outcome
  const settled: LedgerLine = { type: 'settle', id, outcome: { ...outcome, report: {} } }
  return { endedAt: at, lines: [{ type: 'reserve', id, owner, at, cost }, settled] }
}
