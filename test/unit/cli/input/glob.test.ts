import { describe, expect, test } from 'vitest'
import { parseGlob } from '../../../../src/cli/input/glob.ts'
import { processorMs } from '../../../helpers/processor-time.ts'

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
    ['a (1)+(b).png', ['a (1)+(b).png'], []],
    ['[z-a]', [], ['z', 'a', 'm', '-']],
    ['a\\', ['a\\'], []],
  ])('%j matches each of %j and none of %j', (text, matching, others) => {
    expect([...matching, ...others].filter((path) => parseGlob(text)(path))).toEqual(matching)
  })

  test('matches without regard to case where names have none', () => {
    const matches = parseGlob('*.[J]P{E,}G', { ignoreCase: true })
    expect(['a.jpg', 'B.JPEG'].every(matches)).toBe(true)
  })

  test.each([
    ['', 'is empty'],
    ['[a-', 'a bracket [ that is not closed'],
    ['[]', 'a bracket [ that is not closed'],
    ['{a,b', 'a brace { that is not closed'],
    ['{'.repeat(4_000), 'a brace { that is not closed'],
    ['*'.repeat(65_536), 'more than 4096 characters'],
  ])('%.20j cannot be read', (glob, why) => {
    expect(() => parseGlob(glob)).toThrow(why)
  })

  test.each([
    ['stars', '*'.repeat(4_096)],
    ['stars between letters', '*a'.repeat(100)],
    ['nested braces', `${'{a,'.repeat(1_000)}b${'}'.repeat(1_000)}`],
    ['unclosed classes', `${'['.repeat(4_000)}]`],
    ['folders', '**/'.repeat(100)],
    ['alternatives with stars', `{${'*a,'.repeat(100)}b}c`],
  ])('of %s never takes long', async (_, text) => {
    const matches = parseGlob(text)
    expect(await processorMs(async () => void matches(`${'a'.repeat(1_000)}!`))).toBeLessThan(2_000)
  })
})
