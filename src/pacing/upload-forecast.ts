import { OutOfRangeError } from '../checks/coded-error.ts'
import { systemClock } from '../clock.ts'
import { endpoints } from '../protocol/endpoints.ts'
import { defaultLimits, type QuotaLimits, type WindowName, windowLengthMs } from '../protocol/rate-limits.ts'
import type { Later, QuotaModel } from './ledger.ts'
import { neverFitsText } from './pacer.ts'
import { withDefaults } from './quota-model/quota-model-options.ts'
import type { RateReport } from './rate-headers.ts'
import type { LedgerLine } from './shared-ledger/ledger-line.ts'
import { foldLedger, readSharedModel, type SharedLedgerOptions } from './shared-ledger/shared-ledger.ts'

export interface PlanOptions {
  /** What is planned. Default: uploads. */
  readonly of?: 'upload' | 'delete'
  /** Epoch milliseconds at which the first upload may start. Default: now. */
  readonly now?: number
  /** Default of each: the spec's (spec 8). */
  readonly limits?: Partial<QuotaLimits>
  /** Units of the hour and of the day to leave to other users of the key. Default: 0. */
  readonly reserve?: number
  /** The most uploads under way at a time. Default: 2. */
  readonly jobs?: number
  /** How long the bytes of an upload take at the rate that all of them share, by its index. Default: no time. */
  readonly transferMs?: ((index: number) => number) | undefined
  /** The shared ledger whose present use counts. Default: nothing is in use. */
  readonly ledger?: Pick<SharedLedgerOptions, 'folder' | 'baseUrl' | 'apiKey' | 'clock' | 'onProblem'>
  /** The lines of a ledger that count instead. */
  readonly lines?: readonly LedgerLine[] | undefined
}

/**
 * When quotas let each of `count` uploads, or deletions, start. Sends no request.
 *
 * @throws RangeError where the reserve leaves nothing of the hour or the day, or a limit is below the cost of one
 */
export function planUploads(count: number, options: PlanOptions = {}): readonly PlanPart[] {
  const { of = 'upload', limits = {}, reserve = 0, ledger, lines, jobs, transferMs } = options
  const { now = (ledger?.clock ?? systemClock).now() } = options
  const isFromFile = lines === undefined && ledger !== undefined
  const model = isFromFile
    ? readSharedModel({ ...ledger, limits, reserve })
    : foldLedger(lines ?? [], { limits, reserve }).model()
  const { cost } = endpoints[of]
  const reason = model.neverFits(cost)
  if (reason !== undefined && count > 0) throw new OutOfRangeError(neverFitsText(reason, names[of]))
  return simulateUploads({ count, cost, now, model, limits: withDefaults(limits), jobs, transferMs })
}

const names = { upload: 'an upload', delete: 'a deletion' } as const

export interface SimulationOptions {
  /** How many uploads. */
  readonly count: number
  /** Of each, in units. Default: that of an upload. */
  readonly cost?: number
  /** Epoch milliseconds at which the first upload may start. */
  readonly now: number
  /** What is in use at the start. The simulation changes it. */
  readonly model: QuotaModel
  /** The model's limits. Default: the spec's. */
  readonly limits?: QuotaLimits
  /** The most uploads under way at a time. Default: 2. */
  readonly jobs?: number | undefined
  readonly transferMs?: ((index: number) => number) | undefined
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
/** How long one upload takes without the time on the network. */
const UPLOAD_MS = 1_000
/** The Date header has whole seconds. */
const DATE_STEP_MS = 1_000

/**
 * When each of many uploads may start, by the quota model that later lets them start. Simulates a run against a service
 * that counts the last minute and has no other user; sends nothing and does not wait.
 */
export function simulateUploads(options: SimulationOptions): readonly PlanPart[] {
  const {
    count,
    cost = endpoints.upload.cost,
    now,
    model,
    limits = defaultLimits,
    jobs = 2,
    transferMs = () => 0,
  } = options
  const { minute } = model.windows(now)
  const service = createMinuteService(minute?.limit === null ? null : limits.minute, minute?.used ?? 0, now)
  const underWay: { readonly id: string; readonly endsAt: number }[] = []
  const parts: PlanPart[] = []
  let time = now
  /** When the bytes of all uploads so far have left. */
  let sentAt = now

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
  function waitUntilAllowed(): Later | undefined {
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
    const held = waitUntilAllowed()
    const id = `plan-${index}`
    model.apply({ type: 'reserve', id, at: time, cost })
    sentAt = Math.max(sentAt, time) + transferMs(index)
    const endsAt = Math.max(time + UPLOAD_MS, sentAt)
    underWay.push({ id, endsAt })
    addTo(parts, index, { startsAt: time, endsAt, waitedMs: time - since, held })
  }
  while (underWay.length > 0) finishFirst()
  return parts
}

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
  readonly startsAt: number
  readonly endsAt: number
  readonly waitedMs: number
  readonly held: Later | undefined
}

function addTo(parts: PlanPart[], index: number, { startsAt, endsAt, waitedMs, held }: Start): void {
  const window = waitedMs > 0 ? (held?.window ?? null) : null
  const last = parts.at(-1)
  if (last === undefined || waitedMs > LONG_WAIT_MS) {
    const waitsFor = waitedMs > 0 && held?.source === 'unavailable' ? 'service' : window
    parts.push({ first: index, count: 1, startsAt, endsAt, waitsFor, pacedBy: null })
    return
  }
  parts[parts.length - 1] = { ...last, count: last.count + 1, endsAt, pacedBy: wider(last.pacedBy, window) }
}

function wider(one: WindowName | null, other: WindowName | null): WindowName | null {
  const lengthOf = (name: WindowName | null) => (name === null ? 0 : windowLengthMs[name])
  return lengthOf(one) >= lengthOf(other) ? one : other
}
