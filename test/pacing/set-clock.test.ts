import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Clock } from '../../src/clock.ts'
import { Pacer } from '../../src/pacing/create-pacer.ts'
import type { Ledger } from '../../src/pacing/ledger.ts'
import { QuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import { parseRateReport } from '../../src/pacing/rate-headers.ts'
import { createSharedLedger } from '../../src/pacing/shared/shared-ledger.ts'
import { createMemoryLedger } from '../../src/pacing/shared/store-ledger.ts'
import { type WindowKind, windowKinds } from '../../src/protocol/rate-limits.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { createEventClock } from './simulation/event-clock.ts'
import { allOf, usualModel } from './simulation/model.ts'
import { createRandom } from './simulation/random.ts'
import { createService } from './simulation/service.ts'

const noon = Date.UTC(2026, 0, 15, 12)

const requests = fc.array(
  fc.record({
    cost: fc.constantFrom(1, 10, 10),
    pauseMs: fc.oneof({ weight: 5, arbitrary: fc.nat(3_000) }, { weight: 1, arbitrary: fc.nat(90_000) }),
    lengthMs: fc.oneof(fc.nat(500), fc.nat(3_000), fc.nat(30_000)),
    chargedAfter: fc.double({ min: 0, max: 1, noNaN: true }),
    /** When the clock is set: before or while waiting for the permit, while sending, before completion, or never. */
    setAt: fc.constantFrom('acquire', 'wait', 'flight', 'settle', undefined, undefined, undefined, undefined),
    stepMs: fc.constantFrom(2_000, 5_000, 600_000, 86_400_000),
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
)

type Requests = typeof requests extends fc.Arbitrary<infer Value> ? Value : never

interface ClockChanges {
  readonly kind: WindowKind
  readonly direction: (index: number) => 1 | -1
  readonly isMonotonic: boolean
  readonly open: (clock: Clock) => Ledger
}

/** Runs requests while their clock is set; returns the longest wait for a permit and the number of refusals. */
async function runAll(all: Requests, { kind, direction, isMonotonic, open }: ClockChanges) {
  const time = createEventClock(noon)
  let ahead = 0
  const clock: Clock = {
    now: () => time.now() + ahead,
    sleep: time.sleep,
    ...(isMonotonic && { monotonic: () => time.now() - noon }),
  }
  const service = createService({ ...usualModel, kinds: allOf(kind) }, { clock: time, random: createRandom(1) })
  const ledger = open(clock)
  const pacer = new Pacer({ clock, ledger })
  const outcome = { refusals: 0, longestWaitMs: 0 }
  const run = async ({ cost, setAt, stepMs, lengthMs, chargedAfter }: Requests[number], index: number) => {
    const step = () => {
      ahead += stepMs * direction(index)
    }
    const askedAt = time.now()
    if (setAt === 'acquire') step()
    if (setAt === 'wait') void time.sleep(700).then(step)
    const permit = await pacer.acquire({ cost, maxWaitMs: Number.POSITIVE_INFINITY })
    outcome.longestWaitMs = Math.max(outcome.longestWaitMs, time.now() - askedAt)
    if (setAt === 'flight') void time.sleep(lengthMs / 2).then(step)
    const { status, headers } = await service.request(cost, { lengthMs, chargedAfter })
    if (status === 429) outcome.refusals += 1
    const at = clock.now()
    if (setAt === 'settle') step()
    await permit.complete({ type: 'answered', at, status, report: parseRateReport(headers, at) })
  }
  const work = async () => {
    const running: Promise<void>[] = []
    for (const [index, request] of all.entries()) {
      await time.sleep(request.pauseMs)
      running.push(run(request, index))
    }
    await Promise.all(running)
  }
  await time.run(work())
  ledger.close?.()
  return outcome
}

const inMemory = (clock: Clock) => createMemoryLedger(new QuotaModel(), clock)
const shared = (clock: Clock) =>
  createSharedLedger({ folder: temporaryFolder(), baseUrl: 'https://a.example', apiKey: 'k', limits: {}, clock })

/** The longest possible wait: an hour for the 101st upload, and the requests before it in the queue. */
const LONGEST_WAIT_MS = 2 * 3_600_000

const back = () => -1 as const
const forward = () => 1 as const
const backAndForth = (index: number) => (index % 2 === 0 ? 1 : -1)

/** A ledger, how its clock is set, whether that has a monotonic time, and how many cases are tried. */
type Row = readonly [string, ClockChanges['open'], ClockChanges['direction'], isMonotonic: boolean, numRuns: number]

async function check([, open, direction, isMonotonic, numRuns]: Row, mostRefusals: number) {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...windowKinds), requests, async (kind, all) => {
      const { refusals, longestWaitMs } = await runAll(all, { kind, direction, isMonotonic, open })
      expect(refusals).toBeLessThanOrEqual(mostRefusals)
      expect(longestWaitMs).toBeLessThan(LONGEST_WAIT_MS)
    }),
    { numRuns, endOnFailure: true },
  )
}

test.each<Row>([
  ['of one process, however a clock with a monotonic time is set', inMemory, backAndForth, true, 25],
  ['of one process when a clock without a monotonic time is set back', inMemory, back, false, 25],
  ['that processes share when the clock is set back', shared, back, true, 25],
  ['that processes share when a clock without a monotonic time is set back', shared, back, false, 25],
])('no refusal is caused by a ledger %s', (...row) => check(row, 0))

test.each<Row>([
  ['one process, whose clock without a monotonic time is set forward and back,', inMemory, backAndForth, false, 40],
  ['processes that share it, whose clock is set forward,', shared, forward, true, 10],
  ['processes that share it, whose clock is set forward and back,', shared, backAndForth, true, 10],
])('a ledger of %s delays no request beyond two hours', (...row) => check(row, Number.POSITIVE_INFINITY))
