import { describe, expect, test } from 'vitest'
import { createFileChoice } from '../../../../../src/cli/commands/upload/folders.ts'

interface Globs {
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
}

const choose = ({ include = [], exclude = [] }: Globs) => createFileChoice(include, exclude)

describe('of files below a folder', () => {
  test.each([
    ['all, without globs', {}, 'in/a.png', true],
    ['a name at any depth', { include: ['*.png'] }, 'in/deep/a.png', true],
    ['no other name', { include: ['*.png'] }, 'in/a.jpg', false],
    ['what one of several globs includes', { include: ['*.jpg', '*.png'] }, 'a.png', true],
    ['nothing excluded', { include: ['*.png'], exclude: ['draft*'] }, 'in/draft1.png', false],
    ['a path from the folder on', { include: ['in/*.png'] }, 'in/a.png', true],
    ['no path further below', { include: ['in/*.png'] }, 'deep/in/a.png', false],
    ['a path at any depth', { include: ['**/in/*.png'] }, 'deep/in/a.png', true],
    ['a rooted name', { include: ['/a.png'] }, 'a.png', true],
    ['a rooted name, not further below', { include: ['./a.png'] }, 'in/a.png', false],
    ['all in an included folder', { include: ['in/'] }, 'deep/in/x/a.png', true],
    ['no file of the name of an included folder', { include: ['in/'] }, 'in', false],
    ['a backslash elsewhere as the sign for a literal', { include: ['\\[1\\].png'] }, '[1].png', true],
  ])('%s', (_, globs: Globs, path, taken) => {
    expect(choose(globs).takes(path)).toBe(taken)
  })

  test.each(['node_modules', '**/node_modules/', '**/node_modules/**', 'site/n*'])('%s lets no folder in', (glob) => {
    const choice = choose({ exclude: [glob] })
    expect([choice.enters('site/node_modules'), choice.enters('site')]).toEqual([false, true])
  })

  test('a folder of which some files are excluded is entered, and any folder where files are to be included', () => {
    expect(choose({ exclude: ['in/*.png'] }).enters('in')).toBe(true)
    expect(choose({ include: ['*.png'] }).enters('in')).toBe(true)
  })

  test.each(['', '/', '[a', '!a.png'])('%j is refused as a glob', (glob) => {
    expect(() => choose({ exclude: [glob] })).toThrow('the glob "')
  })
})
