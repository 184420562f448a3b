import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Log } from '../../../../src/log/log.ts'
import type { Ledger } from '../../../../src/pacing/ledger.ts'
import type { LedgerLine } from '../../../../src/pacing/quota-log/ledger-line.ts'
import type { LedgerProblem } from '../../../../src/pacing/quota-log/shared-ledger.ts'
import { createSharedLedger } from '../../../../src/pacing/quota-log/shared-ledger.ts'
import { defaultLimits } from '../../../../src/protocol/rate-limits.ts'
import { instantClock } from '../../../helpers/instant-clock.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { createLedgerRig } from './ledger-rig.ts'

async function granted(ledger: Ledger, cost: number, now: number): Promise<string> {
  const reservation = await ledger.reserve(cost, now)
  if (reservation.type !== 'granted') throw new Error(`denied: ${JSON.stringify(reservation)}`)
  return reservation.id
}

const answered = (at: number, status = 201) => ({ type: 'answered', at, status, report: {} }) as const

test('processes that share a folder each count the requests of all', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const [first, second] = [rig.open({ pid: 1 }).ledger, rig.open({ pid: 2 }).ledger]
  const now = rig.clock.now()
  await granted(first, 10, now)
  await granted(second, 10, now)
  expect(await first.reserve(1, now)).toMatchObject({ type: 'denied', verdict: { at: undefined, window: 'burst' } })
  expect(await second.reserve(1, now)).toMatchObject({ type: 'denied', verdict: { window: 'burst' } })
})

test('processes that share a folder cancel a reservation that finds no room because another line came before it in the file', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const now = rig.clock.now()
  let isFirst = false
  const second = rig.open({
    pid: 2,
    limits: { ...defaultLimits, burst: 10 },
    around: (log) => ({
      ...log,
      append(line) {
        if (!isFirst) rig.reserved(10)
        isFirst = true
        log.append(line)
      },
    }),
  }).ledger
  expect((await second.reserve(10, now)).type).toBe('denied')
  expect(readFileSync(join(rig.folder, 'ledger-1.log'), 'utf8')).toContain('"type":"cancel"')
})

test('processes that share a folder are woken when a request of another process ends', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const [first, second] = [rig.open({ pid: 1 }).ledger, rig.open({ pid: 2 }).ledger]
  const ids = [await granted(first, 10, rig.clock.now()), await granted(first, 10, rig.clock.now())]
  await second.reserve(10, rig.clock.now())
  const changed = second.changed()
  for (const id of ids) await first.settle(id, { type: 'not-sent' })
  await changed
  expect((await second.reserve(10, rig.clock.now())).type).toBe('granted')
})

test('processes that share a folder stop waiting with the reason of the signal', async () => {
  const ledger = createLedgerRig(temporaryFolder()).open({ pid: 1 }).ledger
  const stop = new AbortController()
  const changed = ledger.changed(stop.signal)
  stop.abort(new Error('enough'))
  await expect(changed).rejects.toThrow('enough')
})

test('processes that share a folder charge the requests that a killed process had under way, and stop waiting for them', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const [first, second] = [rig.open({ pid: 1 }).ledger, rig.open({ pid: 2 }).ledger]
  await granted(first, 10, rig.clock.now())
  await granted(first, 10, rig.clock.now())
  await second.reserve(10, rig.clock.now())
  rig.kill(1)
  await second.changed()
  const { verdict } = (await second.reserve(10, rig.clock.now())) as { verdict: { at: number; window: string } }
  expect(verdict.window).toBe('burst')
  expect(verdict.at - rig.clock.now()).toBeGreaterThanOrEqual(10_000)
  expect(verdict.at - rig.clock.now()).toBeLessThan(30_000)
})

test('processes that share a folder skip torn lines', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const first = rig.open({ pid: 1 }).ledger
  await granted(first, 10, rig.clock.now())
  appendFileSync(join(rig.folder, 'ledger-1.log'), '\n{"type":"reserve","id":"torn","at":17')
  const second = rig.open({ pid: 2 }).ledger
  await granted(second, 10, rig.clock.now())
  expect((await first.reserve(1, rig.clock.now())).type).toBe('denied')
})

test('processes that share a folder continue after the file was removed, and write their requests under way to the new one', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const [first, second] = [rig.open({ pid: 1 }), rig.open({ pid: 2 })]
  const id = await granted(first.ledger, 10, rig.clock.now())
  rmSync(join(rig.folder, 'ledger-1.log'))
  await first.ledger.settle(id, answered(rig.clock.now()))
  await granted(second.ledger, 10, rig.clock.now())
  expect(await second.ledger.reserve(1, rig.clock.now())).toMatchObject({ verdict: { window: 'burst' } })
  expect([first.problems, second.problems]).toEqual([[], []])
})

test('what an answer tells counts though the file was removed while the request was under way', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const { ledger } = rig.open({ pid: 1 })
  const id = await granted(ledger, 10, rig.clock.now())
  await rig.clock.sleep(300)
  rmSync(join(rig.folder, 'ledger-1.log'))
  expect(ledger.windows(rig.clock.now()).minute?.used).toBe(10)
  await rig.clock.sleep(300)
  const report = { limit: 60, remaining: 0, cost: 10 }
  await ledger.settle(id, { type: 'answered', at: rig.clock.now(), status: 201, report })
  expect(ledger.windows(rig.clock.now()).minute?.used).toBe(60)
})

/** A disk that is full for a while: no line can be appended then. */
function fillableDisk() {
  const disk = {
    isFull: false,
    around: (log: Log<LedgerLine>): Log<LedgerLine> => ({
      ...log,
      append(line) {
        if (disk.isFull) throw new Error('ENOSPC: no space left on device')
        log.append(line)
      },
    }),
  }
  return disk
}

test('processes that share a folder each count alone while the disk is full, starting from what was counted by then', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const disk = fillableDisk()
  const { ledger, problems } = rig.open({ pid: 1, around: disk.around })
  const first = await granted(ledger, 10, rig.clock.now())
  disk.isFull = true
  const second = await granted(ledger, 10, rig.clock.now())
  expect((await ledger.reserve(1, rig.clock.now())).type).toBe('denied')
  await ledger.settle(second, { type: 'not-sent' })
  await ledger.settle(first, { type: 'not-sent' })
  await granted(ledger, 10, rig.clock.now())
  await granted(ledger, 10, rig.clock.now())
  expect(problems).toEqual(['ENOSPC: no space left on device'])
})

test('a process that has counted alone tells the others a minute later what it has used, and what a refusal asked for', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const disk = fillableDisk()
  const one = rig.open({ pid: 1, around: disk.around })
  const other = rig.open({ pid: 2 }).ledger
  const before = await granted(one.ledger, 10, rig.clock.now())
  disk.isFull = true
  await one.ledger.settle(before, answered(rig.clock.now()))
  const alone = await granted(one.ledger, 10, rig.clock.now())
  const refusal = { type: 'answered', status: 429, refusedBy: 'minute', holdMs: 90_000, report: {} } as const
  await one.ledger.settle(alone, { ...refusal, at: rig.clock.now() })
  await rig.clock.sleep(60_000)
  one.ledger.windows(rig.clock.now())
  disk.isFull = false
  await rig.clock.sleep(59_000)
  one.ledger.windows(rig.clock.now())
  expect(other.windows(rig.clock.now()).hour?.used).toBe(10)
  await rig.clock.sleep(1_000)
  for (const ledger of [one.ledger, other]) expect(ledger.windows(rig.clock.now()).hour?.used).toBe(20)
  expect(await other.reserve(1, rig.clock.now())).toMatchObject({ verdict: { at: rig.clock.now() + 90_250 } })
  expect(one.problems).toEqual(['ENOSPC: no space left on device'])
})

test('processes that share a folder date an outcome to the time of writing if it is written much later than it happened', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const { ledger } = rig.open({ pid: 1 })
  const id = await granted(ledger, 10, rig.clock.now())
  const before = rig.clock.now()
  await rig.clock.sleep(3_600_000)
  await ledger.settle(id, answered(before))
  expect(readFileSync(join(rig.folder, 'ledger-1.log'), 'utf8')).toContain(`"at":${before + 3_600_000},"status":201`)
})

const account = { baseUrl: 'https://files.example', apiKey: 'secret-key', limits: defaultLimits }

test('a shared ledger keeps one file per account, readable by its owner only, without the key and the address', async () => {
  const folder = join(temporaryFolder(), 'state')
  const clock = instantClock()
  const ledger = createSharedLedger({ ...account, folder, clock })
  await ledger.settle(await granted(ledger, 10, clock.now()), answered(clock.now()))
  await granted(createSharedLedger({ ...account, folder, clock, apiKey: 'another' }), 10, clock.now())
  const accounts = readdirSync(join(folder, 'rate'))
  expect(accounts).toHaveLength(2)
  for (const name of accounts) {
    expect(name).toMatch(/^[0-9a-f]{16}$/)
    const path = join(folder, 'rate', name, 'ledger-1.log')
    expect(readFileSync(path, 'utf8')).not.toMatch(/secret-key|another|files\.example/)
    const modes = [path, join(path, '..'), join(folder, 'rate')].map((each) => statSync(each).mode & 0o777)
    expect(modes).toEqual([0o600, 0o700, 0o700])
  }
})

test('a shared ledger keeps its counts from one process to the next', async () => {
  const folder = temporaryFolder()
  const clock = instantClock()
  for (const _ of [1, 2]) {
    const ledger = createSharedLedger({ ...account, folder, clock })
    await ledger.settle(await granted(ledger, 10, clock.now()), answered(clock.now()))
  }
  const third = createSharedLedger({ ...account, folder, clock })
  expect(await third.reserve(10, clock.now())).toMatchObject({ type: 'denied', verdict: { window: 'burst' } })
})

test('a shared ledger counts in memory where the folder cannot be used, and reports that once', async () => {
  const folder = join(temporaryFolder(), 'file')
  writeFileSync(folder, '')
  const problems: LedgerProblem[] = []
  const clock = instantClock()
  const ledger = createSharedLedger({ ...account, folder, clock, onProblem: (problem) => problems.push(problem) })
  const first = await granted(ledger, 10, clock.now())
  await granted(ledger, 10, clock.now())
  expect((await ledger.reserve(10, clock.now())).type).toBe('denied')
  await ledger.settle(first, { type: 'not-sent' })
  expect((await ledger.reserve(10, clock.now())).type).toBe('granted')
  expect(problems).toEqual([{ folder: expect.stringContaining(folder), reason: expect.stringContaining('ENOTDIR') }])
})

test('a shared ledger removes ledgers that were not written for days when it creates a new one', async () => {
  const folder = temporaryFolder()
  const [old, recent, foreign] = ['0123456789abcdef', 'fedcba9876543210', 'not-a-ledger']
  const daysAgo = Date.now() / 1_000 - 4 * 86_400
  for (const name of [old, recent, foreign]) {
    mkdirSync(join(folder, 'rate', name), { recursive: true })
    writeFileSync(join(folder, 'rate', name, 'ledger-1.log'), '')
    if (name !== recent) utimesSync(join(folder, 'rate', name, 'ledger-1.log'), daysAgo, daysAgo)
    utimesSync(join(folder, 'rate', name), daysAgo, daysAgo)
  }
  createSharedLedger({ ...account, folder }).windows(0)
  expect(readdirSync(join(folder, 'rate'))).toEqual(expect.arrayContaining([recent, foreign]))
  expect(readdirSync(join(folder, 'rate'))).not.toContain(old)
})
