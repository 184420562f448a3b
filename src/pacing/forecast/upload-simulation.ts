import { costOf, endpoints } from '../../protocol/endpoints.ts'
import { defaultLimits, type QuotaLimits, type WindowName, windowLengthMs } from '../../protocol/rate-limits.ts'
import type { QuotaModel, Verdict } from '../ledger.ts'
import type { RateReport } from '../rate-report.ts'

export interface SimulationOptions {
  /** How many uploads. */
  readonly count: number
  /** Epoch milliseconds at which the first upload may start. */
  readonly now: number
  /** What is in use at the start. The simulation changes it. */
  readonly model: QuotaModel
  /** The model's limits. Default: the spec's. */
  readonly limits?: QuotaLimits
  /** The most uploads under way at a time. Default: 2. */
  readonly jobs?: number
  /** How long one upload takes without the time on the network. Default: 1 s. */
  readonly uploadMs?: number
}

/** Uploads that follow one another without a long wait. */
export interface PlanPart {
  /** Counted from 0. */
  readonly first: number
  readonly count: number
  /** Epoch milliseconds. */
  readonly startsAt: number
  readonly endsAt: number
  /** The window that delays its start; null where it starts at once. */
  readonly waitsFor: WindowName | 'service' | null
  /** The longest window that sets its pace; null where none does. */
  readonly pacedBy: WindowName | null
}

/** A longer wait begins a new part. */
const LONG_WAIT_MS = 90_000
/** The Date header has whole seconds. */
const DATE_STEP_MS = 1_000

/**
 * When each of many uploads may start, by the quota model that later lets them start. Simulates a run against a service
 * that counts the last minute and has no other user; sends nothing and does not wait.
 */
export function simulateUploads(options: SimulationOptions): readonly PlanPart[] {
  const { count, now, model, limits = defaultLimits, jobs = 2, uploadMs = 1_000 } = options
  const cost = costOf(endpoints.upload.method, endpoints.upload.path)
  const service = createMinuteService(limits.minute, model.windows(now).minute?.used ?? 0, now)
  const underWay: { readonly id: string; readonly endsAt: number }[] = []
  const parts: PlanPart[] = []
  let time = now

  function finishFirst(): void {
    const first = underWay.shift()
    if (first === undefined) return
    time = Math.max(time, first.endsAt)
    const report = service.answer(time, cost)
    model.apply({ type: 'settle', id: first.id, outcome: { type: 'answered', at: time, status: 201, report } })
  }

  /** Moves the time on to the end of the wait, or to the end of an upload under way if that comes first. */
  function waitFor({ at = Number.POSITIVE_INFINITY }: Later): void {
    const endsAt = underWay[0]?.endsAt ?? Number.POSITIVE_INFINITY
    if (endsAt <= at) finishFirst()
    else time = Math.max(at, time + 1)
  }

  /** @returns the longest wait; undefined where there was none */
  function waitForTurn(): Later | undefined {
    let longest: Later | undefined
    while (underWay.length >= jobs) finishFirst()
    for (let verdict = model.verdict(cost, time); verdict.type === 'later'; verdict = model.verdict(cost, time)) {
      // It waits for another process's request, whose end cannot be foreseen.
      if (verdict.at === undefined && underWay.length === 0) return longest
      if ((verdict.at ?? time) > (longest?.at ?? time)) longest = verdict
      waitFor(verdict)
    }
    return longest
  }

  for (let index = 0; index < count; index += 1) {
    const since = time
    const held = waitForTurn()
    const id = `plan-${index}`
    model.apply({ type: 'reserve', id, at: time, cost })
    underWay.push({ id, endsAt: time + uploadMs })
    addTo(parts, { index, startsAt: time, endsAt: time + uploadMs, waitedMs: time - since, held })
  }
  while (underWay.length > 0) finishFirst()
  return parts
}

type Later = Verdict & { readonly type: 'later' }

/** A service that counts the last minute and reports it. */
function createMinuteService(limit: number | null, usedUnits: number, now: number) {
  // Assumed to have been charged just now, the latest possible.
  const charges = usedUnits > 0 ? [{ at: now, units: usedUnits }] : []
  return {
    answer(at: number, units: number): RateReport {
      charges.push({ at, units })
      while ((charges[0]?.at ?? at) <= at - windowLengthMs.minute) charges.shift()
      const serverNow = Math.floor(at / DATE_STEP_MS) * DATE_STEP_MS
      if (limit === null) return { cost: units, serverNow }
      const used = charges.reduce((sum, charge) => sum + charge.units, 0)
      return { cost: units, serverNow, limit, remaining: Math.max(limit - used, 0) }
    },
  }
}

interface Start {
  readonly index: number
  readonly startsAt: number
  readonly endsAt: number
  readonly waitedMs: number
  readonly held: Later | undefined
}

function addTo(parts: PlanPart[], { index, startsAt, endsAt, waitedMs, held }: Start): void {
  const last = parts.at(-1)
  if (last === undefined || waitedMs > LONG_WAIT_MS) {
    const waitsFor = held === undefined ? null : held.source === 'unavailable' ? 'service' : (held.window ?? null)
    parts.push({ first: index, count: 1, startsAt, endsAt, waitsFor: waitedMs > 0 ? waitsFor : null, pacedBy: null })
    return
  }
  const pacedBy = wider(last.pacedBy, waitedMs > 0 ? (held?.window ?? null) : null)
  parts[parts.length - 1] = { ...last, count: last.count + 1, endsAt, pacedBy }
}

function wider(one: WindowName | null, other: WindowName | null): WindowName | null {
  const lengthOf = (name: WindowName | null) => (name === null ? 0 : windowLengthMs[name])
  return lengthOf(one) >= lengthOf(other) ? one : other
}
