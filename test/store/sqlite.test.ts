import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, linkSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { inTransaction, openDatabase, orStoreError } from '../../src/store/sqlite.ts'
import { setAside } from '../../src/store/state-database.ts'
import type { StoreError } from '../../src/store/store-error.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const options = {
  version: 3,
  schema: 'CREATE TABLE note (text TEXT NOT NULL) STRICT',
  synchronous: 'OFF',
} as const

function opened(path: string) {
  const database = openDatabase(path, options)
  onTestFinished(() => {
    if (database.isOpen) database.close()
  })
  const add = (text: string) =>
    inTransaction(database, path, () => database.prepare('INSERT INTO note VALUES (?)').run(text))
  const all = () => orStoreError(path, () => database.prepare('SELECT text FROM note').all()).map(({ text }) => text)
  return { database, add, all }
}

function failureOf(work: () => unknown): StoreError['failure'] | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return (error as StoreError).failure
  }
}

const place = () => join(temporaryFolder(), 'state', 'notes.db')

test('a database is made for its owner alone, and opened again with what it had', () => {
  const path = place()
  opened(path).add('one')
  expect(opened(path).all()).toEqual(['one'])
  expect([path, join(path, '..')].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o700])
  expect(readdirSync(join(path, '..')).filter((name) => name !== 'notes.db-journal')).toEqual(['notes.db'])
})

test('a transaction whose work throws leaves nothing', () => {
  const path = place()
  const { database, add, all } = opened(path)
  const work = () => {
    database.exec(`INSERT INTO note VALUES ('half')`)
    throw new TypeError('no')
  }
  expect(() => inTransaction(database, path, work)).toThrow(TypeError)
  add('whole')
  expect(all()).toEqual(['whole'])
})

/** A database with a page of text in place of its second page. */
function damaged() {
  const path = place()
  const { add, database } = opened(path)
  for (let number = 0; number < 1_000; number += 1) add(`note ${number}`)
  database.close()
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill('damage', 4_096, 4 * 4_096))
  return path
}

test('a damaged database is set aside once, and the one that takes its place is not', () => {
  const path = damaged()
  expect(failureOf(() => opened(path).all())).toBe('damaged')
  const { aside = '' } = setAside(path, options) ?? {}
  expect(aside).toBe(`${path}.damaged-1`)
  expect(statSync(aside).size).toBeGreaterThan(4_096)
  opened(path).add('new')
  expect(setAside(path, options)).toBeUndefined()
  expect(opened(path).all()).toEqual(['new'])
})

function secondName(path: string) {
  writeFileSync(path, '')
  linkSync(path, `${path}.2`)
}

test.each([
  [
    'no database',
    (path: string) => writeFileSync(path, 'these are notes of another program, a page of them'.repeat(99)),
    'damaged',
  ],
  ['a link', (path: string) => symlinkSync('/dev/null', path), 'unusable'],
  ['a file with a second name', secondName, 'unusable'],
] as const)('%s under its name is named', (_what, make, failure) => {
  const path = join(temporaryFolder(), 'notes.db')
  make(path)
  expect(failureOf(() => openDatabase(path, options))).toBe(failure)
})

test('a folder that is a file is named', () => {
  const folder = join(temporaryFolder(), 'state')
  writeFileSync(folder, '')
  expect(() => openDatabase(join(folder, 'notes.db'), options)).toThrow(/notes\.db cannot be used: /)
})

test.skipIf(process.getuid?.() === 0)('a folder that may not be written is named', () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o500)
  expect(failureOf(() => openDatabase(join(folder, 'notes.db'), options))).toBe('unusable')
})

/** A process that is stopped inside a transaction. */
async function stoppedHolder(path: string) {
  const source = `import { openDatabase } from ${JSON.stringify(new URL('../../src/store/sqlite.ts', import.meta.url).href)}
    const database = openDatabase(${JSON.stringify(path)}, ${JSON.stringify(options)})
    database.exec('BEGIN IMMEDIATE')
    console.log('held')
    setInterval(() => {}, 1_000)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', source])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill('SIGSTOP')
  return child
}

test('a process that is stopped inside a transaction makes others busy; once it is killed they go on', async () => {
  const path = place()
  const { add, all, database } = opened(path)
  add('one')
  const holder = await stoppedHolder(path)
  database.exec('PRAGMA busy_timeout = 20')
  expect(failureOf(() => add('two'))).toBe('busy')
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  add('three')
  expect(all()).toEqual(['one', 'three'])
})

test('a lock whose holder removes its file is held by one process at a time', { timeout: 60_000 }, async () => {
  const folder = temporaryFolder()
  const [counter, lock] = [join(folder, 'counter'), join(folder, 'counter.lock')]
  writeFileSync(counter, '0')
  const program = `
    import { readFileSync, writeFileSync } from 'node:fs'
    import { endLock, openLock } from ${JSON.stringify(new URL('../../src/store/sqlite.ts', import.meta.url).href)}
    const [counter, path] = process.argv.slice(1)
    for (let left = 60; left > 0; ) {
      try {
        const lock = openLock(path)
        writeFileSync(counter, String(Number(readFileSync(counter, 'utf8')) + 1))
        endLock(path, lock)
        left -= 1
      } catch (error) {
        if (error.failure !== 'busy') throw error
      }
    }`
  const words = ['--input-type=module-typescript', '--eval', program, counter, lock]
  await Promise.all([1, 2, 3].map(() => promisify(execFile)(process.execPath, words)))
  expect(readFileSync(counter, 'utf8')).toBe('180')
  expect(readdirSync(folder)).toEqual(['counter'])
})
