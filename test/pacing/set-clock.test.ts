import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Clock } from '../../src/clock.ts'
import { createPacer } from '../../src/pacing/create-pacer.ts'
import type { Ledger } from '../../src/pacing/ledger.ts'
import { createMemoryLedger } from '../../src/pacing/memory-ledger.ts'
import { createQuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import { parseRateReport } from '../../src/pacing/rate-headers.ts'
import { createSharedLedger } from '../../src/pacing/shared-ledger/shared-ledger.ts'
import { windowKinds } from '../../src/protocol/rate-limits.ts'
import { createEventClock } from './simulation/event-clock.ts'
import { allOf, usualModel } from './simulation/model.ts'
import { createRandom } from './simulation/random.ts'
import { createService } from './simulation/service.ts'

const noon = Date.UTC(2026, 0, 15, 12)
const stepsMs = [2_000, 5_000, 600_000, 86_400_000]

const requests = fc.array(
  fc.record({
    cost: fc.constantFrom(1, 10, 10),
    pauseMs: fc.oneof({ weight: 5, arbitrary: fc.nat(3_000) }, { weight: 1, arbitrary: fc.nat(90_000) }),
    lengthMs: fc.oneof(fc.nat(500), fc.nat(3_000), fc.nat(30_000)),
    chargedAfter: fc.double({ min: 0, max: 1, noNaN: true }),
    /** When the clock is set: before or while waiting for the permit, while sending, before completion, or never. */
    setAt: fc.constantFrom('acquire', 'wait', 'flight', 'settle', undefined, undefined, undefined, undefined),
    stepMs: fc.constantFrom(...stepsMs),
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
)

interface SetClock {
  readonly clock: Clock
  readonly set: (ms: number) => void
}

function settable(time: Clock, isMonotonic: boolean): SetClock {
  let ahead = 0
  return {
    clock: {
      now: () => time.now() + ahead,
      sleep: (ms, signal) => time.sleep(ms, signal),
      ...(isMonotonic && { monotonic: () => time.now() - noon }),
    },
    set: (ms) => {
      ahead += ms
    },
  }
}

type Requests = typeof requests extends fc.Arbitrary<infer Value> ? Value : never
type Kind = (typeof windowKinds)[number]

interface ClockChanges {
  readonly kind: Kind
  readonly direction: (index: number) => 1 | -1
  readonly isMonotonic: boolean
  readonly open: (clock: Clock) => Ledger
}

/** Runs requests while their clock is set; returns the longest wait for a permit and the number of refusals. */
async function runAll(all: Requests, { kind, direction, isMonotonic, open }: ClockChanges) {
  const time = createEventClock(noon)
  const { clock, set } = settable(time, isMonotonic)
  const service = createService({ ...usualModel, kinds: allOf(kind) }, { clock: time, random: createRandom(1) })
  const ledger = open(clock)
  const pacer = createPacer({ clock, ledger })
  const outcome = { refusals: 0, longestWaitMs: 0 }
  const run = async ({ cost, setAt, stepMs, lengthMs, chargedAfter }: Requests[number], index: number) => {
    const step = () => set(stepMs * direction(index))
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

const inMemory = (clock: Clock) => createMemoryLedger(createQuotaModel(), clock)

/** The longest possible wait: an hour for the 101st upload, and the requests before it in the queue. */
const LONGEST_WAIT_MS = 2 * 3_600_000

const back = () => -1 as const
const forward = () => 1 as const
const backAndForth = (index: number) => (index % 2 === 0 ? 1 : -1)

async function check(changes: Omit<ClockChanges, 'kind'>, numRuns: number, mayRefuse = false) {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...windowKinds), requests, async (kind, all) => {
      const { refusals, longestWaitMs } = await runAll(all, { ...changes, kind })
      if (!mayRefuse) expect(refusals).toBe(0)
      expect(longestWaitMs).toBeLessThan(LONGEST_WAIT_MS)
    }),
    { numRuns, endOnFailure: true },
  )
}

test('a ledger of one process causes no refusal, however a clock with a monotonic time is set', () =>
  check({ direction: backAndForth, isMonotonic: true, open: inMemory }, 25))

test('a ledger of one process causes no refusal when a clock without a monotonic time is set back', () =>
  check({ direction: back, isMonotonic: false, open: inMemory }, 25))

test('a ledger of one process delays no request beyond two hours when a clock without a monotonic time is set forward and back', () =>
  check({ direction: backAndForth, isMonotonic: false, open: inMemory }, 40, true))

const shared = async (work: (open: (clock: Clock) => Ledger) => Promise<void>) => {
  const root = await mkdtemp(join(tmpdir(), 'fh-set-clock-'))
  let runs = 0
  try {
    await work((clock) => {
      runs += 1
      return createSharedLedger({
        folder: join(root, String(runs)),
        baseUrl: 'https://a.example',
        apiKey: 'k',
        limits: {},
        clock,
      })
    })
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

test.each([true, false])(
  'a ledger that processes share causes no refusal when the clock is set back (monotonic: %s)',
  (isMonotonic) => shared((open) => check({ direction: back, isMonotonic, open }, 25)),
)

test('a ledger that processes share delays no request beyond two hours when the clock is set forward, or forward and back', () =>
  shared(async (open) => {
    await check({ direction: forward, isMonotonic: true, open }, 10, true)
    await check({ direction: backAndForth, isMonotonic: true, open }, 10, true)
  }))
