import { forecastBy } from '../../../src/cli/batch/forecast.ts'
import { Transfers } from '../../../src/cli/output/progress/transfers.ts'
import type { Clock } from '../../../src/clock.ts'
import { Pacer } from '../../../src/pacing/create-pacer.ts'
import { forecastUploads } from '../../../src/pacing/forecast.ts'
import type { PacingWait } from '../../../src/pacing/pacer.ts'
import { QuotaModel } from '../../../src/pacing/quota-model/quota-model.ts'
import type { LedgerEntry, QuotaRow } from '../../../src/pacing/shared/quota-row.ts'
import { createMemoryLedger } from '../../../src/pacing/shared/store-ledger.ts'
import type { WindowKind } from '../../../src/protocol/rate-limits.ts'
import { createEventClock } from './event-clock.ts'
import { httpDate } from './header-forms.ts'
import { allOf, usualModel } from './model.ts'
import { toOutcome } from './ours.ts'
import { between, createRandom } from './random.ts'
import { createService } from './service.ts'

/** A batch of uploads through one link. */
export interface WatchedRun {
  readonly kind: WindowKind
  readonly seed: number
  /** In bytes, by file. */
  readonly sizes: readonly number[]
  /** Of the link, for all uploads together. */
  readonly bytesPerSecond: number
  /** When the process is stopped, and for how long, in milliseconds. */
  readonly suspend?: { readonly after: number; readonly ms: number }
}

/** A moment at which a person looks. */
export interface Look {
  /** The time left that fh shows, in milliseconds, as is `truth`: how long it really still took. */
  readonly shown: number | undefined
  readonly truth: number
  readonly finished: number
  readonly refusals: number
}

const JOBS = 2
const TICK_MS = 100
const LOOK_MS = 3_000
const SOME_DAY = Date.UTC(2026, 0, 15)
const DAY_MS = 86_400_000

const post = { method: 'POST', path: '/api/upload' }

export async function watchedRun(run: WatchedRun): Promise<readonly Look[]> {
  const { kind, seed, sizes, bytesPerSecond, suspend } = run
  const random = createRandom(seed)
  const startAt = SOME_DAY + Math.floor(random() * DAY_MS)
  const machine = createEventClock(startAt)
  const stoppedAt = startAt + (suspend?.after ?? Number.POSITIVE_INFINITY)
  const clock = stopping(machine, stoppedAt, stoppedAt + (suspend?.ms ?? 0))
  const service = createService({ ...usualModel, kinds: allOf(kind) }, { clock: machine, random })
  const rows: QuotaRow[] = []
  class RecordingModel extends QuotaModel {
    override apply(entry: LedgerEntry): void {
      rows.push(entry.type === 'reserve' ? { ...entry, run: '' } : entry)
      super.apply(entry)
    }
  }
  const pacer = new Pacer({ clock, ledger: createMemoryLedger(new RecordingModel(), clock) })
  const transfers = new Transfers(clock).begin(sizes)
  transfers.expect(forecastBy((sizes, pace) => forecastUploads(sizes, { ...pace, rows, now: clock.now() }), clock))
  const looks: { at: number; shown: number | undefined; finished: number; refusals: number }[] = []
  let [next, finished, refusals, sending] = [0, 0, 0, 0]

  async function send(index: number, size: number): Promise<void> {
    sending += 1
    for (let moved = 0; moved < size; ) {
      await clock.sleep(TICK_MS)
      const wavering = between(random, [0.8, 1.2])
      moved = Math.min(moved + ((bytesPerSecond / sending) * wavering * TICK_MS) / 1_000, size)
      transfers.move(index, moved, size)
    }
    sending -= 1
    await clock.sleep(between(random, [200, 600]))
  }

  async function upload(index: number, size: number): Promise<void> {
    transfers.start(index, String(index), size)
    for (;;) {
      const onWait = (wait: PacingWait) => transfers.event(index, { type: 'wait', request: post, ...wait })
      const permit = await pacer.acquire({ cost: 10, maxWaitMs: Number.POSITIVE_INFINITY, onWait })
      transfers.event(index, { type: 'request', request: post, attempt: 1, headers: {} })
      // It charges as the request begins, and answers once all bytes are there.
      const answer = await service.request(10, { lengthMs: 0, chargedAfter: 0 })
      if (answer.status === 201) await send(index, size)
      const headers = { ...answer.headers, date: httpDate(machine.now()) }
      await permit.complete(toOutcome({ ...answer, headers }, clock.now()))
      if (answer.status === 201) break
      refusals += 1
    }
    finished += 1
    transfers.finish(index, 'uploaded')
  }

  async function work(): Promise<void> {
    for (let index = next++; index < sizes.length; index = next++) await upload(index, sizes[index] ?? 0)
  }

  const ended = new AbortController()
  async function look(): Promise<void> {
    for (;;) {
      await clock.sleep(LOOK_MS, ended.signal)
      looks.push({ at: clock.now(), shown: transfers.timeLeft, finished, refusals })
    }
  }

  look().catch(() => {})
  await machine.run(Promise.all(Array.from({ length: JOBS }, work)))
  const endedAt = machine.now()
  ended.abort()
  // What was shown before the process was stopped could not know of that.
  const counted = looks.filter(({ at }) => suspend === undefined || at > stoppedAt)
  return counted.map(({ at, ...shown }) => ({ ...shown, truth: endedAt - at }))
}

/** The clock as a process sees it that is stopped for a while: what ends meanwhile is noticed afterwards. */
function stopping(clock: Clock, from: number, to: number): Clock {
  return {
    now: clock.now,
    async sleep(ms, signal) {
      await clock.sleep(ms, signal)
      const now = clock.now()
      if (now > from && now < to) await clock.sleep(to - now, signal)
    },
  }
}
