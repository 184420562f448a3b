import { describe, expect, test } from 'vitest'
import type { Clock } from '../../src/clock.ts'
import { Pacer } from '../../src/pacing/create-pacer.ts'
import type { Ledger } from '../../src/pacing/ledger.ts'
import type { PacingWait } from '../../src/pacing/pacer.ts'
import { QuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import { createSharedLedger } from '../../src/pacing/shared/shared-ledger.ts'
import { createMemoryLedger } from '../../src/pacing/shared/store-ledger.ts'
import { type WindowKind, windowKinds } from '../../src/protocol/rate-limits.ts'
import { redisLedgerOver } from '../helpers/redis-quota.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { sample } from '../sampling/sample.ts'
import { createEventClock } from './simulation/event-clock.ts'
import { allOf, usualModel } from './simulation/model.ts'
import { toOutcome } from './simulation/ours.ts'
import { between, createRandom, type Random } from './simulation/random.ts'
import { createService } from './simulation/service.ts'
import { createSimulatedRedis } from './simulation/simulated-redis.ts'

const account = { baseUrl: 'http://127.0.0.1:1', apiKey: 'key', limits: {} }

/** Each gives every process its ledger of one key. */
const ledgers: Readonly<Record<string, (clock: Clock, random: Random) => () => Ledger>> = {
  'in a file'(clock) {
    const folder = temporaryFolder()
    return () => createSharedLedger({ ...account, folder, clock })
  },
  'in Redis'(clock, random) {
    const redis = createSimulatedRedis(clock)
    return () => redisLedgerOver({ link: redis.connect([0, 25], random), clock }).ledger
  },
}

interface Ask {
  readonly isOurs: boolean
  /** Milliseconds since the start, as are all times. */
  readonly at: number
  readonly waits: { readonly at: number; readonly until: number }[]
  sentAt: number
}

interface Company {
  /** What the batch sends, as so many jobs. */
  readonly batch: { readonly requests: number; readonly cost: number; readonly jobs: number }
  /** Twenty of them are sent by us, up to ten seconds apart. */
  readonly cost: number
}

const TRIES = 20
const START = Date.UTC(2026, 0, 15)
/** The second in the queue looks every two seconds whether it has room, and Redis answers in 50 ms. */
const LATE_MS = 2_500

/** @returns what was asked of the pacers, in that order */
async function play({ batch, cost }: Company, name: string, kind: WindowKind, seed: number): Promise<readonly Ask[]> {
  const random = createRandom(seed)
  const clock = createEventClock(START + Math.floor(random() * 86_400_000))
  const from = clock.now()
  const service = createService({ ...usualModel, kinds: allOf(kind) }, { clock, random })
  const openLedger = ledgers[name]?.(clock, random)
  // Of one process, all requests wait in its pacer.
  const alone = new Pacer({ clock, ledger: createMemoryLedger(new QuotaModel(), clock) })
  const pacers = [1, 2].map(() => (openLedger ? new Pacer({ clock, ledger: openLedger() }) : alone))
  const asks: Ask[] = []

  async function send(units: number, isOurs: boolean): Promise<void> {
    const ask: Ask = { isOurs, at: clock.now() - from, waits: [], sentAt: Number.POSITIVE_INFINITY }
    asks.push(ask)
    const onWait = ({ delayMs }: PacingWait) => {
      const at = clock.now() - from
      ask.waits.push({ at, until: at + delayMs })
    }
    const permit = await pacers[isOurs ? 1 : 0]?.acquire({ cost: units, maxWaitMs: Number.POSITIVE_INFINITY, onWait })
    ask.sentAt = clock.now() - from
    const answer = await service.request(units)
    expect(answer.status).toBeLessThan(300)
    await permit?.complete(toOutcome(answer, clock.now()))
  }

  let left = batch.requests
  async function work(): Promise<void> {
    for (; left > 0; await send(batch.cost, false)) left -= 1
  }
  async function tries(): Promise<void> {
    for (let sent = 0; sent < TRIES; sent += 1) {
      await clock.sleep(between(random, [0, 10_000]))
      await send(cost, true)
    }
  }
  await clock.run(Promise.all([...Array.from({ length: batch.jobs }, work), tries()]))
  return asks
}

/** How many that asked later were sent before one of our requests, by more than this. */
function overtaking(asks: readonly Ask[], ms: number): number {
  const ours = asks.filter(({ isOurs }) => isOurs)
  const overtakers = ours.flatMap((own) =>
    asks.slice(asks.indexOf(own)).filter(({ isOurs, sentAt }) => !isOurs && sentAt < own.sentAt - ms),
  )
  return overtakers.length
}

const companies = [
  ['a one-unit request beside a batch of 20 uploads', { batch: { requests: 20, cost: 10, jobs: 4 }, cost: 1 }, 0],
  ['a deletion beside a batch of 20 uploads', { batch: { requests: 20, cost: 10, jobs: 1 }, cost: 3 }, 0],
  ['an upload beside another process’ uploads', { batch: { requests: 20, cost: 10, jobs: 2 }, cost: 10 }, LATE_MS],
  ['an upload beside a stream of one-unit requests', { batch: { requests: 200, cost: 1, jobs: 2 }, cost: 10 }, LATE_MS],
] as const

describe.each(['of one process', ...Object.keys(ledgers)])('with a ledger %s', (name) => {
  // What fits beside it may be sent before a process that waits has looked.
  test.each(companies)(
    '%s goes before any that asked after it, and is told one wait that holds',
    async (_, company, ms) => {
      for (const kind of sample(windowKinds, 2)) {
        const asks = await play(company, name, kind, 1)
        for (const { waits, sentAt } of asks) {
          expect(waits.length).toBeLessThanOrEqual(1)
          expect(sentAt).toBeLessThanOrEqual((waits[0]?.until ?? Number.POSITIVE_INFINITY) + LATE_MS)
        }
        expect(overtaking(asks, ms)).toBe(0)
      }
    },
  )
})
