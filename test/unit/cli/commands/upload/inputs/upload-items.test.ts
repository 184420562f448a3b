import fs from 'node:fs'
import { mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createFileChoice } from '../../../../../../src/cli/commands/upload/inputs/file-choice.ts'
import {
  bytesToSend,
  expandArguments,
  withSizes,
} from '../../../../../../src/cli/commands/upload/inputs/upload-items.ts'
import { processorMs } from '../../../../../helpers/processor-time.ts'
import { temporaryFolder } from '../../../../../helpers/temporary-folder.ts'

/** A folder with these files; those ending in / are folders. */
async function folderWith(...paths: readonly string[]): Promise<string> {
  const folder = temporaryFolder()
  for (const path of paths) {
    await mkdir(join(folder, path.endsWith('/') ? path : join(path, '..')), { recursive: true })
    if (!path.endsWith('/')) await writeFile(join(folder, path), 'x')
  }
  return folder
}

const { signal } = new AbortController()
const still = { recursive: false, hidden: false, follow: false, onLeftOut: () => {}, signal }

interface Ways {
  readonly recursive?: boolean
  readonly follow?: boolean
  readonly hidden?: boolean
  /** Paths of a list. */
  readonly listed?: readonly string[]
  /** With these globs, in folders and patterns. */
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
}

/** Files by their place in the folder, with what is wrong with them; those named more than once, and those left out. */
async function expandAll(folder: string, args: readonly string[], ways: Ways = {}) {
  const { listed = [], include = [], exclude = [], ...flags } = ways
  const place = (path: string) => (path === '-' ? path : `${folder}/${path}`)
  const name = (file: string) => (file.startsWith(folder) ? file.slice(folder.length + 1) : file)
  const leftOut: string[] = []
  const onLeftOut = (path: string) => leftOut.push(name(path))
  const choice =
    include.length + exclude.length > 0 ? createFileChoice({ include, exclude, windows: false }) : undefined
  const options = { ...still, choice, onLeftOut, ...flags }
  const { items, repeated } = await expandArguments(args.map(place), listed.map(place), options)
  return {
    items: items.map(({ file, problem }) => (problem === undefined ? name(file) : `${name(file)}: ${problem.code}`)),
    repeated: repeated.map(name),
    leftOut,
  }
}

async function expand(folder: string, args: readonly string[], ways: Ways = {}): Promise<readonly string[]> {
  return (await expandAll(folder, args, ways)).items
}

const [recursive, hidden] = [true, true]

const tree = [
  ...['a.jpg', 'b.jpg', '.d.jpg', 'c.png', 'x[1].gif', 'x1.gif', 'set (1)/scan (1).jpg', 'set (1)/scan 1.jpg'],
  ...['set 1/scan 1.jpg', 'in/b.jpg', 'in/a/z.png', 'in/.h.jpg', 'in/empty/', 'l/a.jpg', 'l/x/'],
]

test.each<[string, readonly string[], Ways, readonly string[]]>([
  ['arguments keep their order', ['b.jpg', 'a.jpg', '-'], {}, ['b.jpg', 'a.jpg', '-']],
  ['a folder needs to be asked for', ['in'], {}, ['in: source-directory']],
  ['a folder is walked by name, hidden entries left out', ['in'], { recursive }, ['in/a/z.png', 'in/b.jpg']],
  ['hidden files of a folder may be asked for', ['in'], { recursive, hidden }, ['in/.h.jpg', 'in/a/z.png', 'in/b.jpg']],
  ['a pattern matches by name, hidden files left out', ['*.jpg'], {}, ['a.jpg', 'b.jpg']],
  ['hidden files of a pattern may be asked for', ['*.jpg'], { hidden }, ['.d.jpg', 'a.jpg', 'b.jpg']],
  ['parentheses in a pattern are parentheses', ['set (1)/scan (1)*'], {}, ['set (1)/scan (1).jpg']],
  ['a file whose name looks like a pattern is that file', ['x[1].gif'], {}, ['x[1].gif']],
  ['a missing file stays an item, for the error that tells of it', ['gone.jpg'], {}, ['gone.jpg']],
  ['a dash in a list is a file of that name, not standard input', [], { listed: ['-'] }, ['./-']],
  ['paths of a list come after the arguments', ['b.jpg'], { listed: ['a.jpg'] }, ['b.jpg', 'a.jpg']],
  ['a path of a list is no pattern', [], { listed: ['*.jpg', 'in'] }, ['*.jpg', 'in: source-directory']],
  ['a folder of a list is walked with -r', [], { listed: ['in'], recursive }, ['in/a/z.png', 'in/b.jpg']],
  ['globs choose in folders', ['in', 'b.jpg'], { recursive, include: ['*.png'] }, ['in/a/z.png', 'b.jpg']],
  ['globs choose in patterns', ['in/**/*'], { include: ['/*.jpg', '*.png'], exclude: ['z*'] }, ['in/b.jpg']],
  ['a pattern whose matches are all excluded is no error', ['*.png'], { exclude: ['*.png'] }, []],
])('%s', async (_, args, ways, items) => {
  expect(await expand(await folderWith(...tree), args, ways)).toEqual(items)
})

test.each([
  ['twice', ['a.jpg', 'b.jpg', 'a.jpg']],
  ['by another way', ['a.jpg', './a.jpg', 'b.jpg', 'deep/../b.jpg']],
  ['through a pattern', ['a.jpg', '*.jpg']],
  ['before it is in a list', ['a.jpg'], ['b.jpg', './a.jpg', 'b.jpg', 'b.jpg']],
])('a file that is named %s is one item, where it was named first', async (_, args, listed: readonly string[] = []) => {
  const folder = await folderWith('a.jpg', 'b.jpg')
  const { items, repeated } = await expandAll(folder, args, { listed })
  expect(items).toEqual(['a.jpg', 'b.jpg'])
  expect(repeated.every((file) => items.includes(file))).toBe(true)
  expect([repeated.length > 0, new Set(repeated).size]).toEqual([true, repeated.length])
})

test('a file that is named once is not told of', async () => {
  const folder = await folderWith('in/a.jpg', 'b.jpg')
  expect((await expandAll(folder, ['in', 'b.jpg'], { recursive })).repeated).toEqual([])
})

test('a list of 5,000 paths takes not much longer than asking the system for each, repeated ones among them', async () => {
  const listed = Array.from({ length: 5_000 }, (_, index) => `/nowhere/${index % 4_000}.jpg`)
  const asking = await processorMs(async () => {
    for (const path of listed) await stat(path).catch(() => {})
  })
  const expanding = await processorMs(async () => {
    const { items, repeated } = await expandArguments([], listed, still)
    expect([items.length, repeated.length]).toEqual([4_000, 1_000])
  })
  // As much as it takes to ask the system for each, a few times over.
  expect(expanding / asking).toBeLessThan(10)
})

test('what is expanded when the run is stopped is expanded no further', async () => {
  const folder = await folderWith('in/a.jpg')
  const options = { ...still, recursive, signal: AbortSignal.abort(new Error('stopped')) }
  await expect(expandArguments([join(folder, 'in')], [], options)).rejects.toThrow('stopped')
  await expect(expandArguments([], [join(folder, 'in/a.jpg')], options)).rejects.toThrow('stopped')
})

test('a pattern that matches nothing is a missing file, and --hidden is named only where it would find one', async () => {
  const folder = await folderWith('a.jpg', '.b.gif')
  const problemOf = async (pattern: string) =>
    (await expandArguments([join(folder, pattern)], [], still)).items[0]?.problem
  expect(await problemOf('*.png')).toMatchObject({ code: 'source-missing', hint: undefined })
  expect(await problemOf('*.gif')).toMatchObject({ hint: expect.stringContaining('add --hidden') })
})

test('a pattern reads no excluded folder', async () => {
  const folder = await folderWith('in/node_modules/b.png', 'in/b.png')
  const readFolder = vi.spyOn(fs, 'readdir')
  syncBuiltinESMExports()
  onTestFinished(() => {
    readFolder.mockRestore()
    syncBuiltinESMExports()
  })
  expect(await expand(folder, ['in/**/*.png'], { exclude: ['node_modules'] })).toEqual(['in/b.png'])
  expect(readFolder.mock.calls.map(([path]) => basename(String(path)))).toEqual(['in'])
})

describe.skipIf(process.platform === 'win32')('links', () => {
  const links = { 'b.jpg': 'a.jpg', bad: 'nowhere', dev: '/dev/null', in: '../in', up: '..', 'x/bad': 'nowhere' }
  const gone = ': source-missing'
  const exclude = ['bad', 'dev', 'in', 'up', 'x']

  test.each<[string, string, Ways, readonly string[], readonly string[]]>([
    [
      'only links to files count',
      'l',
      { recursive },
      ['a.jpg', 'b.jpg', `bad${gone}`, `x/bad${gone}`],
      ['dev', 'in', 'up'],
    ],
    ['what is excluded is not read', 'l', { recursive, exclude }, ['a.jpg', 'b.jpg'], []],
    ['a pattern matches no device', 'l/d*', {}, [`d*${gone}`], []],
    ['a pattern goes through no link', 'l/**/b.jpg', {}, ['b.jpg'], []],
    ['a pattern goes through links that are followed', 'l/i*/b.jpg', { follow: true }, ['in/b.jpg'], []],
  ])('%s', async (_, argument, ways, items, leftOut) => {
    const folder = await folderWith(...tree)
    for (const [link, target] of Object.entries(links)) await symlink(target, join(folder, 'l', link))
    const found = await expandAll(folder, [argument], ways)
    expect([found.items, found.leftOut]).toEqual([items, leftOut].map((paths) => paths.map((path) => `l/${path}`)))
  })
})

test('each item has a size: 0 for a missing file, unknown for standard input', async () => {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'a'), '12345')
  const files = [{ file: join(folder, 'a') }, { file: join(folder, 'gone') }]
  const items = await withSizes(files)
  expect(items).toEqual([{ file: join(folder, 'a'), bytes: 5 }, files[1]])
  expect(bytesToSend([...items, { file: '-', stream: 'stdin' as const }])).toEqual([5, 0, undefined])
})
