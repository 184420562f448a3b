import { randomBytes } from 'node:crypto'
import { appendFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PacingOutcome } from '../../../../src/pacing/pacer.ts'
import { compactLines, ledgerForm } from '../../../../src/pacing/quota-log/ledger-compaction.ts'
import { createLedgerFold } from '../../../../src/pacing/quota-log/ledger-fold.ts'
import { formatLedgerLine, type LedgerLine } from '../../../../src/pacing/quota-log/ledger-line.ts'
import { createQuotaModel } from '../../../../src/pacing/quota-model/quota-model.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { createLedgerRig, noLimits, ownerOf, type PretendedOptions } from './ledger-rig.ts'

const hour = 3_600_000
const minute = 60_000
const now = Date.parse('2026-11-20T12:00:00Z')
const owner = ownerOf(1)

function request(id: string, at: number, outcome: PacingOutcome, cost = 10): readonly LedgerLine[] {
  return [
    { type: 'reserve', id, at, cost, owner },
    { type: 'settle', id, outcome },
  ]
}

const answered = (at: number, status = 201, cost?: number): PacingOutcome => ({
  type: 'answered',
  at,
  status,
  report: cost === undefined ? {} : { cost },
})

test('compaction counts the same units at the same times where it keeps an old refusal', () => {
  const used = (lines: readonly LedgerLine[]) => {
    const fold = createLedgerFold(() => createQuotaModel())
    for (const line of lines) fold.deliver(line)
    return [0, 3, 12].map((hours) => fold.model().windows(now + hours * hour).day?.used)
  }
  const lines = [
    ...request('r', now - 23 * hour, answered(now - 23 * hour, 429)),
    ...request('a', now - 10 * hour, answered(now - 10 * hour)),
    ...request('b', now - 9 * hour, answered(now - 9 * hour)),
  ]
  expect(used(compactLines(lines, now))).toEqual(used(lines))
  expect(used(lines)).toEqual([30, 20, 20])
})

test('compaction keeps requests under way and young requests unchanged', () => {
  const lines: readonly LedgerLine[] = [
    { type: 'reserve', id: 'a', at: now - 30 * hour, cost: 10, owner },
    ...request('b', now - hour, answered(now - hour + 5)),
  ]
  expect(compactLines(lines, now)).toEqual(lines)
})

test('compaction keeps the requests that wait, in their order, and none that was sent or left', () => {
  const place = (id: string): LedgerLine => ({ type: 'place', id, at: now, cost: 10, owner })
  const [reserve, settle] = request('r', now, { type: 'not-sent' })
  const served = { ...reserve, place: 'served' } as LedgerLine
  const lines = ['served', 'second', 'left', 'third'].map(place)
  const ended: readonly LedgerLine[] = [served, settle as LedgerLine, { type: 'cancel', id: 'left' }]
  expect(compactLines([...lines, ...ended], now)).toEqual([place('second'), place('third')])
})

test('compaction leaves out requests that are older than any window, were not sent, or were cancelled', () => {
  const lines: readonly LedgerLine[] = [
    ...request('a', now - 49 * hour, answered(now - 49 * hour)),
    ...request('b', now, { type: 'not-sent' }),
    { type: 'reserve', id: 'c', at: now, cost: 10, owner },
    { type: 'cancel', id: 'c' },
    { type: 'settle', id: 'never', outcome: answered(now) },
  ]
  expect(compactLines(lines, now)).toEqual([])
})

test('compaction merges old requests of a minute into one with the sum of their charges, dated by the last of them', () => {
  const at = now - 5 * hour
  const lines = [
    ...request('a', at + 1_000, answered(at + 2_000, 201, 12)),
    ...request('b', at + 3_000, { type: 'unanswered', at: at + 50_000 }, 3),
    ...request('c', at + 4_000, answered(at + 5_000, 404, 0), 1),
    ...request('d', at + minute, answered(at + minute + 1)),
  ]
  expect(compactLines(lines, now)).toEqual([
    ...request('a', at + 50_000, { type: 'unanswered', at: at + 50_000 }, 16),
    ...request('d', at + minute + 1, { type: 'unanswered', at: at + minute + 1 }, 10),
  ])
})

test('compaction keeps old refusals', () => {
  const refused = [
    ...request('a', now - 5 * hour, { ...answered(now - 5 * hour, 429), refusedBy: 'day' } as PacingOutcome),
    ...request('b', now - 5 * hour, answered(now - 5 * hour, 503)),
  ]
  expect(compactLines(refused, now)).toEqual(refused)
})

test('compaction keeps only the first of several endings', () => {
  const first = request('a', now - hour, { type: 'unanswered', at: now - hour })
  expect(compactLines([...first, { type: 'settle', id: 'a', outcome: answered(now) }], now)).toEqual(first)
})

test.each([
  ['ten thousand requests of a day to those of two hours and one per earlier minute', 8_640, {}, 2 * (22 * 60 + 850)],
  ['ten thousand requests of half a minute to the newest, where no quota was shown', 3, { isCostAlone: true }, 2 * 36],
])('compaction reduces %s', (_, everyMs, report, most) => {
  const requests = Array.from({ length: 10_000 }, (_, index) => {
    const at = now - (10_000 - index) * everyMs
    return request(String(index), at, { ...answered(at + 1), report } as PacingOutcome, 1)
  })
  const compact = ledgerForm.compact(requests.flat(), now)
  expect(compact.length).toBeLessThan(most)
  const units = compact.reduce((sum, line) => sum + (line.type === 'reserve' ? line.cost : 0), 0)
  expect(units).toBe(10_000)
})

/** One request of a busy account: `afterMs` the one before. */
const busyRequest = fc.record({
  afterMs: fc.constantFrom(0, 10, 300, 4_000, 70_000),
  tookMs: fc.constantFrom(5, 400),
  outcome: fc.constantFrom(
    ...(['alone', 'alone', 'alone', 'alone', 'shown', 'refused', 'unanswered', 'open'] as const),
  ),
})
/** How far the clock is set before one of them. */
const setClock = fc.record({ before: fc.nat(200), byMs: fc.constantFrom(0, -5_000, -3_600_000, 3_600_000) })

type Generated<Kind> = Kind extends fc.Arbitrary<infer Value> ? Value : never
type BusyRequests = readonly Generated<typeof busyRequest>[]
type SetClock = Generated<typeof setClock>

function busyLines(requests: BusyRequests, { before, byMs }: SetClock) {
  let at = now
  let monotonic = 1_000
  const lines = requests.flatMap(({ afterMs, tookMs, outcome }, index): readonly LedgerLine[] => {
    at += afterMs + (index === before ? byMs : 0)
    monotonic += afterMs
    const [reserve, settle] = request(String(index), at, outcomes(at + tookMs)[outcome])
    return [{ ...reserve, monotonic } as LedgerLine, ...(outcome === 'open' || !settle ? [] : [settle])]
  })
  return { lines, end: at + 400 }
}

const outcomes = (at: number): Readonly<Record<Generated<typeof busyRequest>['outcome'], PacingOutcome>> => ({
  alone: { ...answered(at), report: { cost: 10, isCostAlone: true } } as PacingOutcome,
  shown: { ...answered(at), report: { cost: 10, limit: 60, remaining: 50 } } as PacingOutcome,
  refused: answered(at, 429),
  unanswered: { type: 'unanswered', at },
  open: { type: 'unanswered', at },
})

test('a compacted ledger counts the units of a busy account in full, at most a minute longer where no clock was set back', () => {
  const check = (requests: BusyRequests, clock: SetClock) => {
    const { lines, end } = busyLines(requests, clock)
    const compacted = ledgerForm.compact(lines, end)
    const [all, short] = [lines, compacted].map((each) => {
      const fold = createLedgerFold(() => createQuotaModel({ limits: { day: 100_000 } }))
      for (const line of each) fold.deliver(line)
      return fold
    })
    if (!all || !short) throw new Error('no folds')
    expect([...short.inFlight.keys()]).toEqual([...all.inFlight.keys()])
    const used = (fold: typeof all, at: number) => Object.values(fold.model().windows(at)).map((window) => window.used)
    for (const later of [0, 8_000, 50_000, minute, hour - minute, hour, 23 * hour]) {
      const [exact, counted, after] = [
        used(all, end + later),
        used(short, end + later),
        used(short, end + later + minute),
      ]
      for (const [index, units] of exact.entries()) {
        expect(counted[index]).toBeGreaterThanOrEqual(units)
        if (clock.byMs >= 0) expect(after[index]).toBeLessThanOrEqual(units)
      }
    }
  }
  const requests = fc.array(busyRequest, { minLength: 60, maxLength: 200, size: 'max' })
  // To find a shorter list takes minutes.
  fc.assert(fc.property(requests, setClock, check), { endOnFailure: true })
})

/** Appends so many old lines that the next writer seals the file. */
function fill(folder: string, at: number): void {
  const text = Array.from({ length: 400 }, () => {
    const [reserve, settle] = request(randomBytes(4).toString('hex'), at - 60 * hour, answered(at - 60 * hour))
    return [reserve, settle].map((line) => `\n${line && formatLedgerLine(line)}\n`).join('')
  }).join('')
  appendFileSync(join(folder, newest(folder)), text)
}

function newest(folder: string): string {
  const numbers = readdirSync(folder).map((name) => Number(/^ledger-(\d+)\.log$/.exec(name)?.[1] ?? 0))
  return `ledger-${Math.max(1, ...numbers)}.log`
}

async function longLedgers(...options: readonly Omit<PretendedOptions, 'pid'>[]) {
  const rig = createLedgerRig(temporaryFolder())
  const processes = options.map((each, index) => rig.open({ pid: index + 1, ...each }))
  const [first] = processes
  // A reservation that the next file must contain.
  await first?.ledger.reserve(10, rig.clock.now())
  fill(rig.folder, rig.clock.now())
  return {
    rig,
    processes,
    reserve: (index: number, cost = 10) => processes[index]?.ledger.reserve(cost, rig.clock.now()),
  }
}

test('a ledger whose file has grown long continues in a short file with all requests under way, and the old file is removed', async () => {
  const { rig, processes, reserve } = await longLedgers({}, {})
  expect(await reserve(1)).toMatchObject({ type: 'granted' })
  expect(readdirSync(rig.folder)).toEqual(['ledger-2.log'])
  const { size, mode } = statSync(join(rig.folder, 'ledger-2.log'))
  expect([size < 1_000, mode & 0o777]).toEqual([true, 0o600])
  expect(await reserve(0, 1)).toMatchObject({ type: 'denied' })
  expect(processes.flatMap(({ problems }) => problems)).toEqual([])
})

test('a ledger whose file has grown long notes in the new file how a request of the old file ended', async () => {
  const { rig, processes, reserve } = await longLedgers({}, {})
  const held = await reserve(0)
  await reserve(1, 1)
  fill(rig.folder, rig.clock.now())
  await reserve(1, 1)
  expect(newest(rig.folder)).not.toBe('ledger-1.log')
  if (held?.type === 'granted') await processes[0]?.ledger.settle(held.id, { type: 'not-sent' })
  expect(await reserve(1, 10)).toMatchObject({ type: 'granted' })
})

test('a ledger whose file has grown long is replaced by another process if the one that sealed it was killed before', async () => {
  const killed = {
    publish: () => {
      throw new Error('killed')
    },
  }
  const { rig, processes, reserve } = await longLedgers({}, { generations: (real) => ({ ...real, ...killed }) }, {})
  await reserve(1)
  expect(processes[1]?.problems).toEqual(['killed'])
  expect(newest(rig.folder)).toBe('ledger-1.log')
  expect(await reserve(2)).toMatchObject({ type: 'granted' })
  expect(newest(rig.folder)).toBe('ledger-2.log')
  expect(await reserve(0, 1)).toMatchObject({ type: 'denied' })
})

test('a ledger whose file has grown long is replaced only once when two processes try, and keeps the lines of the first', async () => {
  let faster: (() => void) | undefined
  const slow: PretendedOptions['generations'] = (real) => ({
    ...real,
    publish(generation, content) {
      faster?.()
      real.publish(generation, content)
    },
  })
  const { rig, processes, reserve } = await longLedgers({}, { generations: slow })
  faster = () => rig.reserved(20)
  expect(await reserve(1, 1)).toMatchObject({ type: 'denied', verdict: { window: 'burst' } })
  expect(readdirSync(rig.folder)).toEqual(['ledger-2.log'])
  expect(processes.flatMap(({ problems }) => problems)).toEqual([])
})

test('a ledger whose file has grown long removes the drafts of killed processes', async () => {
  const { rig, reserve } = await longLedgers({}, {})
  writeFileSync(join(rig.folder, 'ledger-2.abcdef.tmp'), 'half')
  await reserve(1)
  expect(readdirSync(rig.folder)).toEqual(['ledger-2.log'])
})

test('a ledger whose file has grown long has a line that was written after its seal written again to the new file', async () => {
  let meanwhile: (() => void) | undefined
  const interrupted: PretendedOptions['generations'] = (real) => ({
    ...real,
    openNewest() {
      const { generation, file } = real.openNewest()
      const append = (line: string) => {
        meanwhile?.()
        meanwhile = undefined
        file.append(line)
      }
      return { generation, file: { ...file, append } }
    },
  })
  const rig = createLedgerRig(temporaryFolder())
  const [slow, other] = [rig.open({ pid: 1, generations: interrupted }).ledger, rig.open({ pid: 2 }).ledger]
  slow.windows(rig.clock.now())
  meanwhile = () => {
    fill(rig.folder, rig.clock.now())
    rig.reserved(10)
  }
  expect(await slow.reserve(10, rig.clock.now())).toMatchObject({ type: 'granted' })
  expect(newest(rig.folder)).toBe('ledger-2.log')
  expect(await other.reserve(1, rig.clock.now())).toMatchObject({ type: 'denied', verdict: { window: 'burst' } })
})

test('a ledger whose file has grown long is counted in full by a process that opens it later', async () => {
  const { rig, reserve } = await longLedgers({ limits: noLimits })
  for (let count = 0; count < 90; count += 1) {
    const reservation = await reserve(0, 1)
    await rig.clock.sleep(100)
    if (reservation?.type === 'granted' && count % 3 > 0) fill(rig.folder, rig.clock.now())
  }
  const fresh = rig.open({ pid: 99, limits: { ...noLimits, hour: 100 } }).ledger
  expect(await fresh.reserve(1, rig.clock.now())).toMatchObject({ type: 'denied' })
  await fresh.withdraw?.()
  expect(
    await rig.open({ pid: 98, limits: { ...noLimits, hour: 101 } }).ledger.reserve(1, rig.clock.now()),
  ).toMatchObject({ type: 'granted' })
})

const shown = (at: number, isCostAlone: boolean): PacingOutcome => ({
  type: 'answered',
  at,
  status: 201,
  report: isCostAlone ? { cost: 10, isCostAlone } : { cost: 10, limit: 60, remaining: 50 },
})

test.each([
  ['has none', [true, true, true], null],
  ['has one again', [true, true, false], 1_000],
] as const)('compaction keeps what showed last that the account %s', (_, answers, limit) => {
  const lines = answers.flatMap((isCostAlone, index) => {
    const at = now - (20 - index) * hour
    return request(String(index), at, shown(at, isCostAlone))
  })
  const fold = createLedgerFold(() => createQuotaModel())
  const compacted = compactLines(lines, now)
  for (const line of compacted) fold.deliver(line)
  expect(fold.model().windows(now).hour).toMatchObject({ limit })
  expect(fold.model().windows(now).day?.used).toBe(30)
  expect(compactLines(compacted, now)).toEqual(compacted)
})
