import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTurnFile } from '../../../../../emulator/storage/sqlite/turn-file.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'

/** A file of turns, and the database's note of the number in force. */
function turnFiles() {
  const path = join(temporaryFolder(), 'turns')
  writeFileSync(path, '')
  let note: string | undefined
  const database = {
    prepare: () => ({
      run(value: unknown) {
        note = String(value)
      },
      get: () => (note === undefined ? undefined : { value: note }),
      all: () => [],
    }),
  }
  /** What the process has that opens it now: what it repeated, and what it adds. */
  const open = () => {
    const file = openSync(path, 'r+')
    onTestFinished(() => closeSync(file))
    const turns = createTurnFile(database, file)
    const repeated: unknown[] = []
    let changes: readonly unknown[] = []
    turns.join('last_ids', {
      changes: () => changes,
      isSound: (found) => Array.isArray(found) && found[1] >= 0,
      repeat: (found) => void repeated.push(...found),
    })
    const add = (...some: readonly (readonly [string, number])[]) => {
      changes = some
      turns.addChanges()
    }
    const writeTables = () => {
      turns.removeAll()
      turns.removed()
    }
    return { ...turns, repeated, add, writeTables }
  }
  const opened = () => {
    const turns = open()
    turns.repeatAll()
    return turns
  }
  return { path, open, opened }
}

test('the next process repeats the turns that no table has, and goes on behind them', () => {
  const { opened } = turnFiles()
  const first = opened()
  first.add(['upload', 1], ['album\u2028\n', 2])
  first.add(['upload', 3])
  const second = opened()
  expect(second.repeated).toEqual([
    ['upload', 1],
    ['album\u2028\n', 2],
    ['upload', 3],
  ])
  second.add(['upload', 4])
  expect(opened().repeated).toHaveLength(4)
})

test('what the tables have is not repeated, also where a kill came before the file was written again', () => {
  const { opened } = turnFiles()
  const first = opened()
  for (let count = 0; count < 5; count += 1) first.add(['upload', count])
  first.writeTables()
  expect(opened().repeated).toEqual([])
  first.add(['upload', 5])
  first.add(['album', 60_000])
  expect(opened().repeated).toEqual([
    ['upload', 5],
    ['album', 60_000],
  ])
  const second = opened()
  second.writeTables()
  expect([second.areNone(), opened().repeated]).toEqual([true, []])
})

test.each([
  ['its beginning alone', '0{"last_ids":[["upload",9'],
  ['a line of another number', '1{"last_ids":[["upload",9]]}1\n'],
  ['the beginning of one line and the end of an older one', '0{"last_ids":[["upload",9]]}1\n'],
  ['zeros', `${'\0'.repeat(99)}\n`],
  ['a line with zeros in it', '0{"last_ids":[["upload\0\0]]}0\n'],
])('where a power failure left %s, the turns before are repeated and the next one takes its place', (_, left) => {
  const { path, opened } = turnFiles()
  opened().add(['upload', 1])
  appendFileSync(path, left)
  const second = opened()
  expect(second.repeated).toEqual([['upload', 1]])
  second.add(['upload', 2])
  expect(opened().repeated).toEqual([
    ['upload', 1],
    ['upload', 2],
  ])
})

test.each([
  '{"last_ids":[["upload",-1]]}',
  '{"uploads":[["a",{}]]}',
  '{"quotas":[["k",5]]}',
  '{"requests":[[1,{"at":1}]]}',
  '{"notes":5}',
])('a line that no emulator writes is called damaged: %s', (turn) => {
  const { path, open } = turnFiles()
  appendFileSync(path, `0${turn}0\n`)
  expect(open().repeatAll).toThrow('a line of its records.db-turns is damaged; restore that file')
})

test('many are so many that the tables take them', () => {
  const { path, opened } = turnFiles()
  const turns = opened()
  while (!turns.areMany()) turns.add(['x'.repeat(9_999), 1])
  expect(readFileSync(path).length).toBeGreaterThan(262_144)
  turns.writeTables()
  expect([turns.areNone(), turns.areMany()]).toEqual([true, false])
})
