import { appendFileSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openAppendLog } from '../../../src/system/append-log.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

async function logFile() {
  const folder = temporaryFolder()
  const path = join(folder, 'a.log')
  const [one, other] = [openAppendLog(path, 'create'), openAppendLog(path, 'append')]
  onTestFinished(() => {
    one.close()
    other.close()
  })
  return { path, one, other }
}

test('two processes read each other’s lines in the order of the file', async () => {
  const { one, other } = await logFile()
  one.append('a')
  other.append('bä\nc')
  one.append('d')
  expect([one.next(), one.next()]).toEqual(['a', 'bä'])
  expect([one.rest(), one.rest(), other.rest()]).toEqual([['c', 'd'], [], ['a', 'bä', 'c', 'd']])
  expect(one.all()).toEqual(['a', 'bä', 'c', 'd'])
})

test('a torn line is kept apart from the next line', async () => {
  const { path, one } = await logFile()
  appendFileSync(path, '\n{"tor')
  one.append('next')
  expect(one.all()).toEqual(['{"tor', 'next'])
})

test('a last line without its end is not next; rest returns it, and again once it is complete', async () => {
  const { path, one } = await logFile()
  appendFileSync(path, '\na\nb')
  expect([one.next(), one.next()]).toEqual(['a', undefined])
  expect([one.all(), one.rest(), one.rest()]).toEqual([['a', 'b'], ['b'], []])
  appendFileSync(path, '2\n')
  expect([one.rest(), one.next()]).toEqual([['b2'], undefined])
})

test('a removed file and a shortened one are lost, a replaced one has lost its name', async () => {
  const { path, one, other } = await logFile()
  one.append('a')
  one.next()
  expect([one.isLost(), one.isNamed()]).toEqual([false, true])
  truncateSync(path)
  expect([one.isLost(), other.isLost()]).toEqual([true, false])
  rmSync(path)
  expect([other.isLost(), other.isNamed()]).toEqual([true, false])
})

test('a new file is private, and new refuses a file that exists', async () => {
  const { path } = await logFile()
  expect([statSync(path).mode & 0o777, readFileSync(path, 'utf8')]).toEqual([0o600, ''])
  expect(() => openAppendLog(path, 'new')).toThrow('EEXIST')
})
