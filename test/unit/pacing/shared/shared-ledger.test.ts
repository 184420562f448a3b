import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Ledger } from '../../../../src/pacing/ledger.ts'
import { QuotaModel } from '../../../../src/pacing/quota-model/quota-model.ts'
import { rowForm } from '../../../../src/pacing/shared/quota-state.ts'
import { createSharedLedger } from '../../../../src/pacing/shared/shared-ledger.ts'
import { StoreLedger } from '../../../../src/pacing/shared/store-ledger.ts'
import { defaultLimits, type QuotaLimits } from '../../../../src/protocol/rate-limits.ts'
import { readQuotaRows, SqliteQuota } from '../../../../src/store/sqlite-quota.ts'
import { instantClock } from '../../../helpers/instant-clock.ts'
import { killable } from '../../../helpers/killable.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'

interface PretendedProcess {
  readonly ledger: Ledger
  readonly problems: readonly string[]
  /** The kernel closes its files. */
  kill(): void
  /** The disk takes no row any more. */
  fill(): void
}

/** Ledgers of several pretended processes in one folder. */
function createLedgerRig(folder: string) {
  const clock = instantClock()
  const place = { folder, account: 'account', form: rowForm }
  return {
    clock,
    folder,
    rows: () => readQuotaRows(place),
    open({ limits }: { readonly limits?: QuotaLimits } = {}): PretendedProcess {
      const problems: string[] = []
      const { run, handles } = killable(
        () => new SqliteQuota({ ...place, clock, onProblem: (reason) => void problems.push(reason) }),
      )
      const ledger = new StoreLedger({ store: run, clock, createModel: () => new QuotaModel({ limits }) })
      const fill = () => {
        for (const handle of handles) handle.exec('PRAGMA query_only = ON')
      }
      return { ledger, problems, kill: () => run.close(), fill }
    },
  }
}

async function granted(ledger: Ledger, cost: number): Promise<string> {
  const reservation = await ledger.reserve(cost)
  if (reservation.type !== 'granted') throw new Error(`denied: ${JSON.stringify(reservation)}`)
  return reservation.id
}

const answered = (at: number, status = 201) => ({ type: 'answered', at, status, report: {} }) as const

test('processes that share a folder charge the requests that a killed process had under way, and stop waiting for them', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const [{ ledger: first, kill }, { ledger: second }] = [rig.open(), rig.open()]
  await granted(first, 10)
  await granted(first, 10)
  await second.reserve(10)
  kill()
  await second.changed()
  const { verdict } = (await second.reserve(10)) as { verdict: { at: number; window: string } }
  expect(verdict.window).toBe('burst')
  expect(verdict.at - rig.clock.now()).toBeGreaterThanOrEqual(10_000)
  expect(verdict.at - rig.clock.now()).toBeLessThan(30_000)
})

test('processes that share a folder continue after the file was removed, and write their requests under way to the new one', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const [first, second] = [rig.open(), rig.open()]
  const id = await granted(first.ledger, 10)
  rmSync(join(rig.folder, 'quota.db'))
  await first.ledger.settle(id, answered(rig.clock.now()))
  await granted(second.ledger, 10)
  expect(await second.ledger.reserve(1)).toMatchObject({ verdict: { window: 'burst' } })
  expect([first.problems, second.problems]).toEqual([[], []])
})

test('a request under way is written to the new file by the next one of its process', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const [first, second] = [rig.open(), rig.open()]
  await granted(first.ledger, 10)
  rmSync(join(rig.folder, 'quota.db'))
  await granted(first.ledger, 10)
  expect(await second.ledger.reserve(1)).toMatchObject({ type: 'denied' })
})

test('processes that share a folder each count alone once the disk is gone, starting from what was counted by then', async () => {
  const rig = createLedgerRig(join(temporaryFolder(), 'state'))
  const { ledger, problems } = rig.open()
  const first = await granted(ledger, 10)
  rmSync(rig.folder, { recursive: true })
  writeFileSync(rig.folder, '')
  const second = await granted(ledger, 10)
  expect((await ledger.reserve(1)).type).toBe('denied')
  await ledger.settle(second, { type: 'not-sent' })
  await ledger.settle(first, { type: 'not-sent' })
  await granted(ledger, 10)
  await granted(ledger, 10)
  expect(problems).toEqual([expect.stringContaining('ENOTDIR')])
})

test('a request that a full disk could not note is decided once more, and counts once', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const { ledger, problems, fill } = rig.open()
  await granted(ledger, 10)
  fill()
  await granted(ledger, 10)
  expect((await ledger.reserve(1)).type).toBe('denied')
  expect(ledger.windows().burst?.used).toBe(20)
  expect(problems).toEqual([expect.stringContaining('readonly')])
  expect(rig.rows()).toHaveLength(1)
})

test('processes that share a folder date an outcome to the time of writing if it is written much later than it happened', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const { ledger } = rig.open()
  const id = await granted(ledger, 10)
  const before = rig.clock.now()
  await rig.clock.sleep(3_600_000)
  await ledger.settle(id, answered(before))
  expect(rig.rows().at(-1)).toMatchObject({ outcome: { at: before + 3_600_000, status: 201 } })
})

const account = { baseUrl: 'https://files.example', apiKey: 'secret-key', limits: defaultLimits }

test('a shared ledger forgets keys for which nothing was counted for days, when it counts for a new one', async () => {
  const folder = temporaryFolder()
  const clock = instantClock()
  const use = async (apiKey: string) => {
    const ledger = createSharedLedger({ ...account, folder, clock, apiKey })
    await ledger.settle(await granted(ledger, 10), answered(clock.now()))
    ledger.close?.()
  }
  await use('old')
  await clock.sleep(2 * 86_400_000)
  await use('recent')
  await clock.sleep(86_400_001)
  await use('new')
  const database = new DatabaseSync(join(folder, 'quota.db'))
  expect(database.prepare('SELECT DISTINCT account FROM quota').all()).toHaveLength(2)
  database.close()
})

test('the rows of a busy key are made fewer while others use it, and all count the same', async () => {
  const rig = createLedgerRig(temporaryFolder())
  const limits = { burst: null, minute: null, hour: null, day: 100_000 }
  const [first, second] = [rig.open({ limits }).ledger, rig.open({ limits }).ledger]
  const use = async (ledger: Ledger) => {
    await ledger.settle(await granted(ledger, 1), answered(rig.clock.now()))
    await rig.clock.sleep(20_000)
  }
  for (let count = 0; count < 400; count += 1) await use(count % 3 === 0 ? second : first)
  const held = await granted(first, 5)
  for (let count = 0; count < 400; count += 1) await use(second)
  expect(rig.rows().length).toBeLessThan(1_400)
  const third = rig.open({ limits }).ledger
  for (const ledger of [first, second, third]) expect(ledger.windows().day?.used).toBe(805)
  await first.settle(held, { type: 'not-sent' })
  for (const ledger of [first, second, third]) expect(ledger.windows().day?.used).toBe(800)
})
