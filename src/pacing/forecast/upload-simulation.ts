import { costOf, endpoints } from '../../protocol/endpoints.ts'
import { defaultLimits, type QuotaLimits, type WindowName, windowLengthMs } from '../../protocol/rate-limits.ts'
import type { LedgerBook, Verdict } from '../ledger.ts'
import type { RateReport } from '../rate-report.ts'

export interface SimulationOptions {
  /** How many uploads. */
  readonly count: number
  /** Epoch milliseconds: when the first may start. */
  readonly now: number
  /** What is in use at the start. It is used up: the plan happens in it. */
  readonly book: LedgerBook
  /** Of the book. Default: the spec's. */
  readonly limits?: QuotaLimits
  /** How many may be under way at a time. Default: 2. */
  readonly jobs?: number
  /** How long one takes, the link's share left out of it. Default: 1 s. */
  readonly uploadMs?: number
}

/** Uploads that follow one another without a long wait in between. */
export interface PlanPart {
  /** Counted from 0. */
  readonly first: number
  readonly count: number
  /** Epoch milliseconds. */
  readonly startsAt: number
  readonly endsAt: number
  /** The window that is waited for before it starts; null where it starts at once. */
  readonly waitsFor: WindowName | 'service' | null
  /** The widest window that sets its pace; null where nothing does. */
  readonly pacedBy: WindowName | null
}

/** A wait longer than this is worth a part of its own. */
const LONG_WAIT_MS = 90_000
/** The Date header knows whole seconds. */
const DATE_STEP_MS = 1_000

/**
 * When each of many uploads may start, by the same arithmetic that lets them start then: the plan is a run of it against
 * a service that counts the last minute, and that is used by nobody else. Simulates; nothing is sent or waited for.
 */
export function simulateUploads(options: SimulationOptions): readonly PlanPart[] {
  const { count, now, book, limits = defaultLimits, jobs = 2, uploadMs = 1_000 } = options
  const cost = costOf(endpoints.upload.method, endpoints.upload.path)
  const service = createMinuteModel(limits.minute, book.windows(now).minute?.used ?? 0, now)
  const flying: { readonly id: string; readonly endsAt: number }[] = []
  const parts: PlanPart[] = []
  let time = now

  function land(): void {
    const flight = flying.shift()
    if (flight === undefined) return
    time = Math.max(time, flight.endsAt)
    const report = service.answer(time, cost)
    book.apply({ type: 'settle', id: flight.id, outcome: { type: 'answered', at: time, status: 201, report } })
  }

  /** Moves the time on to whatever comes first: what holds the next one back is over, or something lands. */
  function pass({ at = Number.POSITIVE_INFINITY }: Later): void {
    const landsAt = flying[0]?.endsAt ?? Number.POSITIVE_INFINITY
    if (landsAt <= at) land()
    else time = Math.max(at, time + 1)
  }

  /** @returns what held the next one back longest; undefined where nothing did */
  function waitForTurn(): Later | undefined {
    let longest: Later | undefined
    while (flying.length >= jobs) land()
    for (let verdict = book.verdict(cost, time); verdict.type === 'later'; verdict = book.verdict(cost, time)) {
      // Neither an instant nor anything under way: another process's request, whose end nobody can foresee.
      if (verdict.at === undefined && flying.length === 0) return longest
      if ((verdict.at ?? time) > (longest?.at ?? time)) longest = verdict
      pass(verdict)
    }
    return longest
  }

  for (let index = 0; index < count; index += 1) {
    const since = time
    const held = waitForTurn()
    const id = `plan-${index}`
    book.apply({ type: 'reserve', id, at: time, cost })
    flying.push({ id, endsAt: time + uploadMs })
    addTo(parts, { index, startsAt: time, endsAt: time + uploadMs, waitedMs: time - since, held })
  }
  while (flying.length > 0) land()
  return parts
}

type Later = Verdict & { readonly type: 'later' }

/** A service that counts the last minute, which is the window its answers tell of. */
function createMinuteModel(limit: number | null, usedUnits: number, now: number) {
  // When that was charged nobody tells: at the latest just now.
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
