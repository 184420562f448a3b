import { posix, win32 } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  fileIdentity,
  isPattern,
  splitPattern,
} from '../../../../../../src/cli/commands/upload/inputs/argument-kinds.ts'

test.each([
  ['a.jpg', false],
  ['scan (1).jpg', false],
  ['*.jpg', true],
  ['a?.jpg', true],
  ['a[12].jpg', true],
  ['{a,b}.jpg', true],
])('whether %j is a pattern: %j', (argument, is) => {
  expect(isPattern(argument)).toBe(is)
})

describe('splitPattern', () => {
  test.each([
    ['*.jpg', '', '*.jpg'],
    ['shots/*.jpg', 'shots/', '*.jpg'],
    ['/photos/2026-*/x.jpg', '/photos/', '2026-*/x.jpg'],
    ['{a,b}/c/*.jpg', '', '{a,b}/c/*.jpg'],
    ['set (1)/*.jpg', 'set (1)/', '*.jpg'],
    ['scan (1)*.jpg', '', 'scan \\(1\\)*.jpg'],
    ['+(a|b)*.jpg', '', '+(a|b)*.jpg'],
    ['a\\[1\\]/*.jpg', '', 'a\\[1\\]/*.jpg'],
  ])('takes %j apart', (pattern, folder, glob) => {
    expect(splitPattern(pattern, posix)).toEqual({ folder, glob })
  })

  test.each([
    ['*.jpg', '', '*.jpg'],
    ['shots\\*.jpg', 'shots\\', '*.jpg'],
    ['shots/*.jpg', 'shots\\', '*.jpg'],
    ['C:\\photos\\2026\\*.jpg', 'C:\\photos\\2026\\', '*.jpg'],
    ['C:/photos/**/*.jpg', 'C:/photos\\', '**/*.jpg'],
    ['C:*.jpg', 'C:', '*.jpg'],
    ['C:\\*.jpg', 'C:\\', '*.jpg'],
    ['\\\\server\\share\\album\\*.jpg', '\\\\server\\share\\album\\', '*.jpg'],
    ['..\\a\\{b,c}\\*.jpg', '..\\a\\', '{b,c}/*.jpg'],
    ['Copy (2)\\scan (1)*.jpg', 'Copy (2)\\', 'scan \\(1\\)*.jpg'],
  ])('takes %j apart where backslashes separate folders', (pattern, folder, glob) => {
    expect(splitPattern(pattern, win32)).toEqual({ folder, glob })
  })
})

describe('fileIdentity', () => {
  test('is one for all ways to name a file', () => {
    const names = ['a.jpg', './a.jpg', 'x/../a.jpg', '/work/a.jpg', '/work//a.jpg']
    expect(new Set(names.map((name) => fileIdentity(name, '/work', posix)))).toEqual(new Set(['/work/a.jpg']))
  })

  test('tells names of another case apart, but not on Windows', () => {
    expect(fileIdentity('A.jpg', '/work', posix)).not.toBe(fileIdentity('a.jpg', '/work', posix))
    const names = ['A.jpg', '.\\a.JPG', 'c:\\Work\\a.jpg', 'C:/work/x/../a.jpg']
    expect(new Set(names.map((name) => fileIdentity(name, 'C:\\work', win32)))).toEqual(new Set(['c:\\work\\a.jpg']))
  })
})
