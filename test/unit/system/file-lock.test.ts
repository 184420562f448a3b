import { existsSync, readdirSync, writeFileSync } from 'node:fs'
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
