import { describe, expect, test } from 'vitest'
import { parseGlob } from '../../../../src/cli/input/glob.ts'

describe('a glob', () => {
  test.each<[glob: string, matching: readonly string[], others: readonly string[]]>([
    ['*.png', ['a.png', '.png'], ['a.pngx', 'in/a.png']],
    ['?.png', ['🙂.png'], ['/.png']],
    ['[ab]?[!c-e].png', ['bxf.png'], ['bxd.png']],
    ['[^a].png', ['b.png'], []],
    ['[!a].png', [], ['/.png']],
    ['[]a-].png', ['].png', '-.png'], []],
    ['[\\]].png', ['].png'], []],
    ['*.{png,jp{e,}g}', ['a.jpg', 'a.jpeg'], ['a.jpe']],
    ['a,b}.png', ['a,b}.png'], []],
    ['{a}.png', ['a.png'], []],
    ['\\*\\{.png', ['*{.png'], ['a{.png']],
    ['**/a.png', ['a.png', 'x/y/a.png'], ['xa.png']],
    ['x/**/a.png', ['x/a.png', 'x/y/z/a.png'], ['xa.png']],
    ['x/**', ['x/y/a.png'], ['xy/a.png']],
    ['{x/**,**/y}/a.png', ['x/1/2/a.png', 'z/y/a.png'], []],
    ['x**y', ['x12y'], ['x/y']],
    ['***/a.png', ['x/a.png'], []],
    ['A.png', [], ['a.png']],
    ['caf\u00e9.png', ['cafe\u0301.png'], []],
    ['[\\a-c\\]^[].png', ['b.png', '].png', '^.png', '[.png'], ['-.png']],
    ['*'.repeat(4_096), ['a.png'], []],
    ['a|b$.{x|y,z}', ['a|b$.x|y', 'a|b$.z'], ['a', 'b$.z']],
    ['a (1)+(b).png', ['a (1)+(b).png'], []],
  ])('%j matches each of %j and none of %j', (text, matching, others) => {
    const glob = parseGlob(text)
    expect([...matching, ...others].filter(glob.matches)).toEqual(matching)
  })

  test('matches without regard to case where names have none', () => {
    const glob = parseGlob('*.[J]P{E,}G', { ignoreCase: true })
    expect(['a.jpg', 'B.JPEG'].every((name) => glob.matches(name))).toBe(true)
  })

  test.each([
    ['', 'must not be empty'],
    ['[a-', 'the bracket [ is not closed'],
    ['[]', 'the bracket [ is not closed'],
    ['[z-a]', 'the range z-a runs backwards'],
    ['{a,b', 'the brace { is not closed'],
    ['*'.repeat(65_536), 'at most 4,096 characters'],
    ['a\\', 'the backslash at its end'],
  ])('%.20j cannot be read', (glob, why) => {
    expect(() => parseGlob(glob)).toThrow(why)
  })
})
