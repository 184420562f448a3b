import { expect, test } from 'vitest'
import { parseGlob } from '../../../../src/cli/choice/name-glob.ts'

test.each([
  ['IMG_*.{jpg,png}', ['IMG_1.jpg', 'IMG_.png'], ['img_1.jpg', 'IMG_1.jpeg', 'xIMG_1.jpg']],
  ['*a*b', ['ab', 'xxaxxb', 'aab', 'abab'], ['ba', 'abx']],
  ['**', ['', 'all/of it'], []],
  ['a?c', ['abc', 'a😀c'], ['ac', 'abbc']],
  ['[a-c!]x', ['ax', 'cx', '!x'], ['dx', '-x']],
  ['[!a-c]x', ['dx'], ['ax', 'x']],
  ['[]-]', [']', '-'], ['x']],
  ['{a,{b,c}d}{1,2}', ['a1', 'bd2', 'cd1'], ['b1', 'ad1']],
  ['a,b}', ['a,b}'], ['a']],
  ['\\*[(]1\\{', ['*(1{'], ['x(1{']],
  ['caf\u00e9', ['cafe\u0301', 'caf\u00e9'], ['cafe']],
] as const)('the glob %s means the names it should, whole and in the same case', (glob, meant, others) => {
  const isMeant = parseGlob(glob)
  expect(meant.filter((name) => !isMeant(name))).toEqual([])
  expect(others.filter((name) => isMeant(name))).toEqual([])
})

test.each([
  ['', 'is empty'],
  ['[abc', 'has a [ without its ]'],
  ['[]', 'has a [ without its ]'],
  ['{a,[}]', 'has a { without its }'],
  ['{a,{b}', 'has a { without its }'],
  ['[z-a]', 'has the range z-a, which runs backwards'],
  ['a\\', 'ends with a \\ that stands before nothing'],
  ['*'.repeat(65_536), 'has 65,536 characters, and may have 255'],
  ['{a,b}'.repeat(50), 'means more than 64 patterns'],
])('the broken glob %.20s is refused', (glob, why) => {
  expect(() => parseGlob(glob)).toThrow(new TypeError(why))
})

test('a glob compares at most the product of the lengths of pattern and name', () => {
  const isMeant = parseGlob(`${'*a'.repeat(127)}b`)
  // Trying all places of all stars would outlast the universe.
  expect(isMeant('a'.repeat(65_536))).toBe(false)
  expect(isMeant(`${'a'.repeat(65_536)}b`)).toBe(true)
})
