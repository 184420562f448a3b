import { existsSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockHolder, waitingForLock, withLock } from '../../../src/system/file-lock.ts'
import { thisProcess } from '../../../src/system/process-identity.ts'
import { instantClock } from '../../helpers/instant-clock.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const ended = JSON.stringify({ ...thisProcess(), pid: 4_194_999 })

test('work is done by one process at a time, and the lock says which', () => {
  const lock = join(temporaryFolder(), 'a.lock')
  const inner: unknown[] = []
  const isDone = withLock(lock, () => {
    inner.push(
      lockHolder(lock)?.owner?.pid,
      withLock(lock, () => inner.push('never')),
    )
  })
  expect([isDone, inner, lockHolder(lock)]).toEqual([true, [process.pid, false], undefined])
})

test('the lock of a process that is gone is removed for the next try, that of another container after ten minutes', () => {
  const folder = temporaryFolder()
  const lock = join(folder, 'a.lock')
  const twice = () => [withLock(lock, () => {}), withLock(lock, () => {})]
  for (const gone of [{ pid: 4_194_999 }, { start: 'of an earlier process with this id' }]) {
    writeFileSync(lock, JSON.stringify({ ...thisProcess(), ...gone }))
    expect(twice()).toEqual([false, true])
  }
  writeFileSync(lock, JSON.stringify({ ...thisProcess(), space: 'elsewhere', pid: 4_194_999 }))
  expect(twice()).toEqual([false, false])
  const before = new Date(Date.now() - 601_000)
  utimesSync(lock, before, before)
  expect([twice(), readdirSync(folder)]).toEqual([[false, true], []])
})

test.skipIf(process.platform === 'win32')('a symbolic link in place of a lock is not followed', () => {
  const lock = join(temporaryFolder(), 'a.lock')
  symlinkSync('/dev/null', lock)
  expect(() => withLock(lock, () => {})).toThrow(`${lock} is a link, which is not followed`)
})

test('a lock left behind is removed by one process at a time, so that none removes the lock that another has made since', () => {
  const folder = temporaryFolder()
  const lock = join(folder, 'a.lock')
  writeFileSync(lock, ended)
  const during = withLock(`${lock}.left`, () => {
    expect([withLock(lock, () => {}), existsSync(lock)]).toEqual([false, true])
  })
  expect([during, withLock(lock, () => {}), withLock(lock, () => {}), readdirSync(folder)]).toEqual([
    true,
    false,
    true,
    [],
  ])
})

test('a process that is killed while it removes a lock left behind hinders no other', () => {
  const lock = join(temporaryFolder(), 'a.lock')
  writeFileSync(lock, ended)
  writeFileSync(`${lock}.left`, ended)
  const tries = [1, 2, 3].map(() => withLock(lock, () => {}))
  expect(tries).toEqual([false, false, true])
})

test('work that needs a lock is tried again for 5 s', async () => {
  const clock = instantClock()
  const before = clock.now()
  expect(await waitingForLock(() => false, clock)).toBe(false)
  expect(clock.now() - before).toBe(4_900)
})
