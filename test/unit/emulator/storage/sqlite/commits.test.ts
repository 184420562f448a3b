import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, expect, test, vi } from 'vitest'
import { noReserve, type Reserve } from '../../../../../emulator/storage/folder/reserve.ts'
import { createCommits } from '../../../../../emulator/storage/sqlite/commits.ts'
import { until } from '../../../../helpers/until.ts'

beforeEach(() => {
  const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  return () => warning.mockRestore()
})

/** A database that reports each step by the first word of its statement. */
const databaseOf = (step: (name: string) => void) => ({
  prepare: (sql: string) => ({
    run: () => step(sql.toLowerCase().replace(/ .*/, '')),
    get: () => undefined,
    all: () => [],
  }),
  pragma(text: string) {
    step(text)
    return undefined
  },
})

/** A file of turns that reports each line, and has many once there are so many. */
const turnsOf = (step: (name: string) => void, most = 9) => {
  let lines = 0
  return {
    join: () => undefined,
    addChanges() {
      step('line')
      lines += 1
    },
    areMany: () => lines > most,
    areNone: () => lines === 0,
    removeAll: () => step('count up'),
    removed() {
      lines = 0
    },
    repeatAll: () => {},
  }
}

const mend = 'wal_checkpoint(TRUNCATE)'

/** Commits that record every step. */
function recorded(fault: Partial<Record<string, Error>> = {}, reserve: Reserve = noReserve, mostLines = 9) {
  const steps: string[] = []
  const step = (name: string) => {
    steps.push(name)
    if (fault[name] !== undefined) throw fault[name]
  }
  const noted = (name: string) => name === 'count up' || step(name)
  const turns = turnsOf(noted, mostLines)
  const commits = createCommits(databaseOf(step), { sync: async () => step('sync'), reserve, turns })
  const write = (name: string, kind: 'ordinary' | 'lasting' | 'freeing' = 'ordinary') =>
    commits.write(kind, () => void steps.push(name))
  return { commits, steps, write, fault }
}

test('all writes of one turn, promises included, are one transaction, with what is kept in memory; lasting ones are synced', async () => {
  const { commits, steps, write } = recorded()
  commits.onCommit(() => void steps.push('kept'))
  write('a')
  await Promise.resolve().then(() => {})
  write('b')
  await commits.flushed()
  write('c', 'lasting')
  await commits.flushed()
  steps.push('settled')
  expect(steps).toEqual(['begin', 'a', 'b', 'kept', 'commit', 'begin', 'c', 'kept', 'commit', 'sync', 'settled'])
})

/** Commits whose syncs wait until the test ends them. */
function slowlySynced() {
  const steps: string[] = []
  const fault: { commit?: Error } = {}
  const syncs: { resolve(): void; reject(error: Error): void }[] = []
  const database = databaseOf((name) => {
    if (name === 'commit' || name === mend) steps.push(name)
    if (name === 'commit' && fault.commit !== undefined) throw fault.commit
  })
  const sync = () => new Promise<void>((resolve, reject) => void syncs.push({ resolve, reject }))
  const commits = createCommits(database, { sync, reserve: noReserve, turns: turnsOf(() => {}) })
  return { commits, steps, fault, syncs }
}

test('a turn that could not be committed is not safe, even if an earlier turn’s sync fails after it', async () => {
  const { commits, steps, fault, syncs } = slowlySynced()
  commits.write('lasting', () => {})
  await until(() => syncs.length === 1)
  const since = commits.mark()
  fault.commit = new Error('the disk is full')
  commits.write('lasting', () => {})
  await until(() => steps.length === 2)
  const settled = commits.flushed(since)
  syncs[0]?.reject(new Error('the disk is broken'))
  await expect(settled).rejects.toThrow('The data could not be written')
})

test('if another sync fails during a sync, everything is brought to the disk before its turn is safe', async () => {
  const { commits, steps, syncs } = slowlySynced()
  commits.write('lasting', () => {})
  await until(() => syncs.length === 1)
  const since = commits.mark()
  commits.write('lasting', () => {})
  await until(() => syncs.length === 2)
  syncs[0]?.reject(new Error('the disk is broken'))
  syncs[1]?.resolve()
  await commits.flushed(since)
  expect(steps).toEqual(['commit', 'commit', mend])
})

test('a write is safe only once all earlier ones are', async () => {
  const { commits, steps, syncs } = slowlySynced()
  commits.write('lasting', () => {})
  await until(() => steps.length === 1)
  commits.write('ordinary', () => {})
  const second = Promise.resolve(commits.flushed()).then(() => steps.push('second settled'))
  await until(() => steps.length === 2)
  steps.push('synced')
  syncs[0]?.resolve()
  await second
  expect(steps).toEqual(['commit', 'commit', 'synced', 'second settled'])
})

/** Makes a minor change, and asks whether it is safe. */
function minorTurns({ commits, steps }: Pick<ReturnType<typeof recorded>, 'commits' | 'steps'>) {
  commits.onUndone((kind) => void steps.push(`undone: ${kind}`))
  commits.onCommitted((isInTables) => void steps.push(isInTables ? 'in tables' : 'in a line'))
  return () => {
    commits.begin('minor')
    return commits.flushed()
  }
}

test('minor changes that could not be written fail no request, and are written with the next', async () => {
  const { commits, steps, fault } = recorded({ line: new Error('the disk is full') })
  const turn = minorTurns({ commits, steps })
  await turn()
  delete fault['line']
  await turn()
  expect(steps).toEqual(['line', 'rollback', 'undone: minor', 'line', 'in a line'])
})

test('minor changes are a line each, until there are many or another write comes: then the tables have them', async () => {
  const { commits, steps, write } = recorded({}, noReserve, 1)
  const turn = minorTurns({ commits, steps })
  for (let count = 0; count < 3; count += 1) await turn()
  const inLines = ['line', 'in a line', 'line', 'in a line']
  expect(steps.splice(0)).toEqual([...inLines, 'begin', 'commit', 'in tables'])
  await turn()
  write('a')
  await commits.flushed()
  expect(steps).toEqual(['line', 'in a line', 'begin', 'a', 'commit', 'in tables'])
})

test('a minor change is safe at once where one asks, and with the others at the end of the turn where several do', async () => {
  const { commits, steps } = recorded()
  const turn = minorTurns({ commits, steps })
  expect(turn()).toBeUndefined()
  await nextTurn()
  expect([turn(), turn()]).toEqual([undefined, undefined])
  await nextTurn()
  steps.length = 0
  await Promise.all([turn(), turn(), turn()])
  expect(steps).toEqual(['line', 'in a line'])
})

test('a minor change after a write that is not yet safe waits for it', async () => {
  const { commits, steps, syncs } = slowlySynced()
  commits.write('lasting', () => {})
  await until(() => syncs.length === 1)
  commits.begin('minor')
  const minor = Promise.resolve(commits.flushed()).then(() => steps.push('answered'))
  await nextTurn()
  steps.push('synced')
  syncs[0]?.resolve()
  await minor
  expect(steps).toEqual(['commit', 'synced', 'answered'])
})

test.each([
  [false, 'there is no room on the disk'],
  [true, 'its folder was removed'],
])(
  'without the reserve only deletions are written; if it is %s that the folder was removed, %s',
  async (isGone, why) => {
    const lend = () => void steps.push('lend')
    const reserve = { ...noReserve, ensure: () => false, lend, isLow: () => true, isGone: () => isGone }
    const { commits, steps, write } = recorded({}, reserve)
    write('upload', 'lasting')
    await expect(commits.flushed()).rejects.toThrow(`The data could not be written: ${why}`)
    write('deletion', 'freeing')
    await commits.flushed()
    expect(steps).toEqual(['begin', 'upload', 'rollback', 'begin', 'deletion', 'lend', 'commit', 'sync', mend])
  },
)

test('a deletion is safe though the disk was too full for another turn, before it or after it', async () => {
  const { commits, steps, write } = recorded({}, { ...noReserve, ensure: () => false })
  const since = commits.mark()
  write('thumbnail')
  await expect(commits.flushed()).rejects.toThrow('there is no room on the disk')
  write('deletion', 'freeing')
  const own = commits.flushed()
  await until(() => steps.includes('commit'))
  write('another thumbnail')
  await own
  await commits.flushed(since, 'deletions')
  await expect(async () => commits.flushed(since)).rejects.toThrow('there is no room on the disk')
})

test('a deletion that could not be committed is not safe, though a later turn is', async () => {
  const { commits, write, fault } = recorded({ commit: new Error('the disk is full') })
  const since = commits.mark()
  write('deletion', 'freeing')
  await expect(commits.flushed()).rejects.toThrow('the disk is full')
  delete fault['commit']
  write('upload', 'lasting')
  await commits.flushed()
  await expect(async () => commits.flushed(since, 'deletions')).rejects.toThrow('the disk is full')
})
