import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorCodeOf, reasonInText, reasonOf } from '../../../src/system/system-errors.ts'

function thrown(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}

test('a system error becomes words without code, call and path', () => {
  const gone = thrown(() => readFileSync('/nowhere/a.png'))
  expect([errorCodeOf(gone), reasonOf(gone)]).toEqual(['ENOENT', 'there is no such file or folder'])
  expect(reasonOf(thrown(() => readFileSync('.')))).toBe('it is a folder')
  expect(reasonOf(Object.assign(new Error('ENOSPC: …, write'), { errno: -28 }))).toBe('no space left on device')
})

test('Node’s text of a system error becomes the same words', () => {
  expect(reasonInText("EACCES: permission denied, mkdir '/nowhere/fh'")).toBe('permission denied')
  expect(reasonInText("ENOENT: no such file or directory, open 'x'")).toBe('there is no such file or folder')
  expect(reasonInText('TLS: something else')).toBe('TLS: something else')
})

test('other errors keep their own words', () => {
  expect([reasonOf(new TypeError('not so')), reasonOf('thrown as it is'), reasonOf(undefined)]).toEqual([
    'not so',
    'thrown as it is',
    'undefined',
  ])
  expect(errorCodeOf(undefined)).toBeUndefined()
})
