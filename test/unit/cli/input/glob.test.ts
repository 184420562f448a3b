import { describe, expect, test } from 'vitest'
import { parseGlob } from '../../../../src/cli/input/glob.ts'
import { processorMs } from '../../../helpers/processor-time.ts'

describe('a glob', () => {
  test.each([
    ['*.png', 'a.png', true],
    ['*.png', '.png', true],
    ['*.png', 'a.pngx', false],
    ['*.png', 'in/a.png', false],
    ['?.png', 'é.png', true],
    ['?.png', '🙂.png', true],
    ['?.png', '/.png', false],
    ['[ab]?[!c-e].png', 'bxf.png', true],
    ['[ab]?[!c-e].png', 'bxd.png', false],
    ['[^a].png', 'b.png', true],
    ['[!a].png', '/.png', false],
    ['[]a-].png', '].png', true],
    ['[]a-].png', '-.png', true],
    ['[\\]].png', '].png', true],
    ['*.{png,jp{e,}g}', 'a.jpg', true],
    ['*.{png,jp{e,}g}', 'a.jpeg', true],
    ['*.{png,jp{e,}g}', 'a.jpe', false],
    ['a,b}.png', 'a,b}.png', true],
    ['{a}.png', 'a.png', true],
    ['\\*\\{.png', '*{.png', true],
    ['\\*.png', 'a.png', false],
    ['**/a.png', 'a.png', true],
    ['**/a.png', 'x/y/a.png', true],
    ['**/a.png', 'xa.png', false],
    ['x/**/a.png', 'x/a.png', true],
    ['x/**/a.png', 'x/y/z/a.png', true],
    ['x/**/a.png', 'xa.png', false],
    ['x/**', 'x/y/a.png', true],
    ['x/**', 'xy/a.png', false],
    ['{x/**,**/y}/a.png', 'x/1/2/a.png', true],
    ['{x/**,**/y}/a.png', 'z/y/a.png', true],
    ['x**y', 'x/y', false],
    ['x**y', 'x12y', true],
    ['***/a.png', 'x/a.png', true],
    ['A.png', 'a.png', false],
    ['caf\u00e9.png', 'cafe\u0301.png', true],
    ['a (1)+(b).png', 'a (1)+(b).png', true],
  ])('%j matches %j: %j', (glob, path, matches) => {
    expect(parseGlob(glob).matches(path)).toBe(matches)
  })

  test('matches without regard to case where names have none', () => {
    const glob = parseGlob('*.[J]P{E,}G', { ignoreCase: true })
    expect(['a.jpg', 'B.JPEG'].every((name) => glob.matches(name))).toBe(true)
  })

  test.each([
    ['', 'must not be empty'],
    ['[a-', 'the bracket [ is not closed'],
    ['[', 'the bracket [ is not closed'],
    ['[]', 'the bracket [ is not closed'],
    ['[z-a]', 'the range z-a runs backwards'],
    ['{a,b', 'the brace { is not closed'],
    ['{'.repeat(4_000), 'the brace { is not closed'],
    ['a\\', 'the backslash at its end'],
    ['*'.repeat(65_536), 'at most 4,096 characters'],
  ])('%.20j cannot be read', (glob, why) => {
    expect(() => parseGlob(glob)).toThrow(why)
  })

  test.each([
    ['stars', '*'.repeat(4_096)],
    ['stars between letters', '*a'.repeat(100)],
    ['nested braces', `${'{a,'.repeat(500)}b${'}'.repeat(500)}`],
    ['folders', '**/'.repeat(100)],
    ['alternatives with stars', `{${'*a,'.repeat(100)}b}c`],
  ])('of %s never takes long', async (_, text) => {
    const glob = parseGlob(text)
    expect(await processorMs(async () => void glob.matches(`${'a'.repeat(1_000)}!`))).toBeLessThan(2_000)
  })
})
