import { beforeEach, expect, test, vi } from 'vitest'
import { noReserve, type Reserve } from '../../../../../emulator/storage/folder/reserve.ts'
import { createCommits } from '../../../../../emulator/storage/sqlite/commits.ts'
import { until } from '../../../../helpers/until.ts'

beforeEach(() => {
  const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  return () => warning.mockRestore()
})

const fatal = new Error('the disk is full')

/** Commits of which every step is written down. */
function recorded(fault: Partial<Record<'begin' | 'commit' | 'sync', Error>> = {}, reserve: Reserve = noReserve) {
  const steps: string[] = []
  const step = (name: 'begin' | 'commit' | 'sync') => {
    steps.push(name)
    if (fault[name] !== undefined) throw fault[name]
  }
  const commits = createCommits({
    begin: () => step('begin'),
    commit: () => step('commit'),
    rollback: () => void steps.push('rollback'),
    sync: async () => step('sync'),
    mend: () => void steps.push('mend'),
    reserve,
    mark: () => {},
    keep: () => {},
    revert: () => void steps.push('revert'),
    isFatal: (error) => error === fatal,
  })
  const write = (name: string, weight: 'ordinary' | 'lasting' = 'ordinary') =>
    commits.write(weight, () => void steps.push(name))
  return { commits, steps, write, fault }
}

test('what is written in one turn, promises included, is one transaction', async () => {
  const { commits, steps, write } = recorded()
  write('a')
  await Promise.resolve().then(() => {})
  write('b')
  await commits.settled()
  write('c')
  await commits.settled()
  expect(steps).toEqual(['begin', 'a', 'b', 'commit', 'begin', 'c', 'commit'])
})

test('only what is lasting is synced, and together with what came before', async () => {
  const { commits, steps, write } = recorded()
  write('a')
  write('b', 'lasting')
  const settled = commits.settled().then(() => steps.push('settled'))
  await settled
  expect(steps).toEqual(['begin', 'a', 'b', 'commit', 'sync', 'settled'])
})

test('what is kept in memory is written with the next commit', async () => {
  const { commits, steps, write } = recorded()
  commits.onCommit(() => void steps.push('kept'))
  write('a')
  await commits.settled()
  expect(steps).toEqual(['begin', 'a', 'kept', 'commit'])
})

/** Commits of which every sync waits until it is ended. */
function slowlySynced() {
  const steps: string[] = []
  const fault: { commit?: Error } = {}
  const syncs: { resolve(): void; reject(error: Error): void }[] = []
  const commits = createCommits({
    begin: () => {},
    commit: () => {
      steps.push('commit')
      if (fault.commit !== undefined) throw fault.commit
    },
    rollback: () => {},
    sync: () => new Promise((resolve, reject) => void syncs.push({ resolve, reject })),
    mend: () => void steps.push('mend'),
    mark: () => {},
    keep: () => {},
    revert: () => {},
    reserve: noReserve,
    isFatal: () => true,
  })
  return { commits, steps, fault, syncs }
}

test('a turn that could not be committed is not settled though the sync of an earlier turn fails after it', async () => {
  const { commits, steps, fault, syncs } = slowlySynced()
  commits.write('lasting', () => {})
  await until(() => syncs.length === 1)
  const since = commits.mark()
  fault.commit = new Error('the disk is full')
  commits.write('lasting', () => {})
  await until(() => steps.length === 2)
  const settled = commits.settled(since)
  syncs[0]?.reject(new Error('the disk is broken'))
  await expect(settled).rejects.toThrow('The data could not be written')
})

test('a sync that was under way while another one failed brings all to the disk before its turn is settled', async () => {
  const { commits, steps, syncs } = slowlySynced()
  commits.write('lasting', () => {})
  await until(() => syncs.length === 1)
  const since = commits.mark()
  commits.write('lasting', () => {})
  await until(() => syncs.length === 2)
  syncs[0]?.reject(new Error('the disk is broken'))
  syncs[1]?.resolve()
  await commits.settled(since)
  expect(steps).toEqual(['commit', 'commit', 'mend'])
})

test('nothing is settled before what came earlier is', async () => {
  const { commits, steps, syncs } = slowlySynced()
  commits.write('lasting', () => {})
  await until(() => steps.length === 1)
  commits.write('ordinary', () => {})
  const second = commits.settled().then(() => steps.push('second settled'))
  await until(() => steps.length === 2)
  steps.push('synced')
  syncs[0]?.resolve()
  await second
  expect(steps).toEqual(['commit', 'commit', 'synced', 'second settled'])
})

test.each(['begin', 'commit', 'sync'] as const)(
  'after a %s that failed what was written is not settled, and the next is once there is room again',
  async (name) => {
    const { commits, steps, write, fault } = recorded({ [name]: new Error('the disk is full') })
    const message = 'The data could not be written: the disk is full'
    if (name === 'begin') expect(() => write('a', 'lasting')).toThrow(message)
    else {
      const since = commits.mark()
      write('a', 'lasting')
      await expect(commits.settled()).rejects.toThrow(message)
      await expect(commits.settled(since)).rejects.toThrow(message)
    }
    delete fault[name]
    write('b', 'lasting')
    await commits.settled()
    expect(process.emitWarning).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message }))
    expect(steps.slice(-3)).toEqual(['b', 'commit', name === 'sync' ? 'mend' : 'sync'])
  },
)

test('a turn that failed is undone in memory as well, and what was only to be remembered is written with the next', async () => {
  const { commits, steps, fault } = recorded({ commit: new Error('the disk is full') })
  commits.onUndone(() => void steps.push('undone'))
  commits.onCommitted(() => void steps.push('committed'))
  commits.write('minor', () => {})
  await commits.settled()
  delete fault.commit
  commits.write('minor', () => {})
  await commits.settled()
  expect(steps).toEqual(['begin', 'commit', 'rollback', 'undone', 'begin', 'commit', 'committed'])
})

test('without the reserve only what lasts is written, for it may be a deletion', async () => {
  const released: number[] = []
  const reserve = { holds: () => released.length === 0, release: () => void released.push(1) }
  const { commits, steps, write, fault } = recorded({ commit: new Error('the disk is full') }, reserve)
  write('upload', 'lasting')
  await expect(commits.settled()).rejects.toThrow('the disk is full')
  delete fault.commit
  steps.length = 0
  write('view')
  await expect(commits.settled()).rejects.toThrow('the disk is full')
  write('deletion', 'lasting')
  await commits.settled()
  expect(steps).toEqual(['begin', 'view', 'rollback', 'begin', 'deletion', 'commit', 'sync'])
})

const fail = (error: Error) => () => {
  throw error
}

test('a write that the database fails at takes all of its turn with it, and the next turn goes on', async () => {
  const { commits, steps, write } = recorded()
  const message = 'The data could not be written: the disk is full'
  const since = commits.mark()
  write('a')
  expect(() => commits.write('ordinary', fail(fatal))).toThrow(message)
  await expect(commits.settled(since)).rejects.toThrow(message)
  write('b')
  await commits.settled()
  expect(steps).toEqual(['begin', 'a', 'rollback', 'begin', 'b', 'commit'])
})

test('a mistake of one write is told to its caller alone, and what others write is kept', async () => {
  const { commits, steps, write } = recorded()
  const mistake = new Error('NOT NULL constraint failed')
  write('a')
  expect(() => commits.write('lasting', fail(mistake))).toThrow(mistake)
  write('b')
  await commits.settled()
  expect(steps).toEqual(['begin', 'a', 'revert', 'b', 'commit', 'sync'])
  expect(process.emitWarning).not.toHaveBeenCalled()
})

test('memory is changed once the outermost write has succeeded, and not at all where it has not', () => {
  const { commits, steps, write } = recorded()
  const nested = (then: () => void) => () => {
    commits.write('ordinary', () => commits.afterwards(() => void steps.push('changed')))
    write('outer')
    then()
  }
  expect(() => commits.write('ordinary', nested(fail(new Error('no'))))).toThrow('no')
  commits.write(
    'ordinary',
    nested(() => {}),
  )
  expect(steps).toEqual(['begin', 'outer', 'revert', 'outer', 'changed'])
})
