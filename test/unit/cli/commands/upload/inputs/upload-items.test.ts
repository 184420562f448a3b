import fs from 'node:fs'
import { mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFileChoice } from '../../../../../../src/cli/commands/upload/inputs/file-choice.ts'
import { bytesOf, expandArguments, withSizes } from '../../../../../../src/cli/commands/upload/inputs/upload-items.ts'
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

const still = { recursive: false, hidden: false, follow: false, onLeftOut: () => {} }

interface Ways {
  readonly recursive?: boolean
  readonly follow?: boolean
  readonly hidden?: boolean
  /** Paths of a list. */
  readonly listed?: readonly string[]
}

/** Files by their place in the folder, with what is wrong with them; and those named more than once. */
async function expandAll(folder: string, args: readonly string[], { listed = [], ...ways }: Ways = {}) {
  const place = (path: string) => (path === '-' ? path : `${folder}/${path}`)
  const { signal } = new AbortController()
  const options = { ...still, signal, ...ways }
  const { items, repeated } = await expandArguments(args.map(place), listed.map(place), options)
  const name = (file: string) => (file.startsWith(folder) ? file.slice(folder.length + 1) : file)
  return {
    items: items.map(({ file, problem }) => (problem === undefined ? name(file) : `${name(file)}: ${problem.code}`)),
    repeated: repeated.map(name),
  }
}

async function expand(folder: string, args: readonly string[], recursive = false): Promise<readonly string[]> {
  return (await expandAll(folder, args, { recursive })).items
}

test('arguments keep their order', async () => {
  const folder = await folderWith('a.jpg', 'b.jpg')
  expect(await expand(folder, ['b.jpg', 'a.jpg', '-'])).toEqual(['b.jpg', 'a.jpg', '-'])
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
  expect(repeated.length).toBeGreaterThan(0)
  expect(new Set(repeated).size).toBe(repeated.length)
})

test('a file that is named once is not told of', async () => {
  const folder = await folderWith('in/a.jpg', 'b.jpg')
  expect((await expandAll(folder, ['in', 'b.jpg'], { recursive: true })).repeated).toEqual([])
})

test('paths of a list come after the arguments, and mean what they say', async () => {
  const folder = await folderWith('a.jpg', 'in/b.jpg')
  expect((await expandAll(folder, ['a.jpg'], { listed: ['*.jpg', 'in'] })).items).toEqual([
    'a.jpg',
    '*.jpg',
    'in: source-directory',
  ])
  expect((await expandAll(folder, [], { listed: ['in'], recursive: true })).items).toEqual(['in/b.jpg'])
})

test('a dash in a list is a file of that name, not standard input', async () => {
  const folder = await folderWith()
  expect((await expandAll(folder, [], { listed: ['-'] })).items).toEqual(['./-'])
})

test('a list of 5,000 paths takes not much longer than asking the system for each, repeated ones among them', async () => {
  const listed = Array.from({ length: 5_000 }, (_, index) => `/nowhere/${index % 4_000}.jpg`)
  const options = { ...still, signal: new AbortController().signal }
  const asking = await processorMs(async () => {
    for (const path of listed) await stat(path).catch(() => {})
  })
  const expanding = await processorMs(async () => {
    const { items, repeated } = await expandArguments([], listed, options)
    expect([items.length, repeated.length]).toEqual([4_000, 1_000])
  })
  // As much as it takes to ask the system for each, a few times over.
  expect(expanding / asking).toBeLessThan(10)
})

test('what is expanded when the run is stopped is expanded no further', async () => {
  const folder = await folderWith('in/a.jpg')
  const options = { ...still, recursive: true, signal: AbortSignal.abort(new Error('stopped')) }
  await expect(expandArguments([join(folder, 'in')], [], options)).rejects.toThrow('stopped')
  await expect(expandArguments([], [join(folder, 'in/a.jpg')], options)).rejects.toThrow('stopped')
})

test('hidden files are taken where they are asked for', async () => {
  const folder = await folderWith('in/b.jpg', 'in/.hidden.jpg', 'in/.git/x.jpg')
  const hidden = { recursive: true, hidden: true }
  expect((await expandAll(folder, ['in'], hidden)).items).toEqual(['in/.git/x.jpg', 'in/.hidden.jpg', 'in/b.jpg'])
  expect((await expandAll(folder, ['in/*.jpg'], hidden)).items).toEqual(['in/.hidden.jpg', 'in/b.jpg'])
})

test('parentheses in a pattern are parentheses, below a folder with some too', async () => {
  const folder = await folderWith('set (1)/scan (1).jpg', 'set (1)/scan 1.jpg', 'set 1/scan 1.jpg')
  expect(await expand(folder, ['set (1)/scan (1)*'])).toEqual(['set (1)/scan (1).jpg'])
})

test('a folder needs to be asked for', async () => {
  const folder = await folderWith('in/a.jpg')
  expect(await expand(folder, ['in'])).toEqual(['in: source-directory'])
})

test('a folder is walked by name, hidden entries left out', async () => {
  const folder = await folderWith('in/b.jpg', 'in/a/z.jpg', 'in/.hidden.jpg', 'in/.git/x.jpg', 'in/empty/')
  expect(await expand(folder, ['in'], true)).toEqual(['in/a/z.jpg', 'in/b.jpg'])
})

test('a link to a file is that file, a link to a folder is not followed', async () => {
  const folder = await folderWith('in/a.jpg')
  await symlink('a.jpg', join(folder, 'in/b.jpg'))
  await symlink('..', join(folder, 'in/up'))
  await symlink('nowhere', join(folder, 'in/dangling.jpg'))
  expect(await expand(folder, ['in'], true)).toEqual(['in/a.jpg', 'in/b.jpg', 'in/dangling.jpg: source-missing'])
})

test('a link to what is neither file nor folder is left out, by folder and by pattern', async () => {
  const folder = await folderWith('in/a.jpg')
  await symlink('/dev/null', join(folder, 'in/device.jpg'))
  expect(await expand(folder, ['in'], true)).toEqual(['in/a.jpg'])
  expect(await expand(folder, ['in/*.jpg'])).toEqual(['in/a.jpg'])
  expect(await expand(folder, ['in/d*.jpg'])).toEqual(['in/d*.jpg: source-missing'])
})

test('a pattern matches by name, hidden files left out', async () => {
  const folder = await folderWith('b.jpg', 'a.jpg', 'c.png', '.d.jpg')
  expect(await expand(folder, ['*.jpg'])).toEqual(['a.jpg', 'b.jpg'])
})

test('a pattern that matches nothing is a missing file, and --hidden is named only where it would find one', async () => {
  const folder = await folderWith('a.jpg', '.b.gif')
  expect(await expand(folder, ['*.png'])).toEqual(['*.png: source-missing'])
  const hintOf = async (pattern: string) => {
    const { items } = await expandArguments([join(folder, pattern)], [], {
      ...still,
      signal: new AbortController().signal,
    })
    return items[0]?.problem?.hint
  }
  expect([await hintOf('*.png'), await hintOf('*.gif')]).toEqual([undefined, expect.stringContaining('add --hidden')])
})

/** With these globs, in folders and patterns. */
async function choose(folder: string, args: readonly string[], globs: { include?: string[]; exclude?: string[] }) {
  const choice = createFileChoice({ include: [], exclude: [], ...globs, windows: false })
  const leftOut: string[] = []
  const onLeftOut = (path: string) => leftOut.push(path.slice(folder.length + 1))
  const options = { ...still, recursive: true, choice, onLeftOut, signal: new AbortController().signal }
  const { items } = await expandArguments(
    args.map((path) => join(folder, path)),
    [],
    options,
  )
  const names = items.map(
    ({ file, problem }) => `${file.slice(folder.length + 1)}${problem ? `: ${problem.code}` : ''}`,
  )
  return { names, leftOut }
}

test('globs choose among the files of folders and patterns, not among named files', async () => {
  const folder = await folderWith('in/a.png', 'in/b.jpg', 'in/deep/c.png', 'b.jpg')
  const { names } = await choose(folder, ['in', 'b.jpg'], { include: ['*.png'] })
  expect(names).toEqual(['in/a.png', 'in/deep/c.png', 'b.jpg'])
  expect((await choose(folder, ['in/**/*'], { include: ['/*.png'], exclude: ['b*'] })).names).toEqual(['in/a.png'])
})

test.skipIf(process.platform === 'win32')(
  'an excluded folder is not read, and an excluded link not followed',
  async () => {
    const folder = await folderWith('in/a.png', 'in/node_modules/x/b.png')
    await symlink('nowhere', join(folder, 'in/node_modules/broken'))
    await symlink('nowhere', join(folder, 'in/broken.png'))
    await symlink('.', join(folder, 'in/self'))
    const all = await choose(folder, ['in'], {})
    expect(all.names).toEqual([
      'in/a.png',
      'in/broken.png: source-missing',
      'in/node_modules/broken: source-missing',
      'in/node_modules/x/b.png',
    ])
    expect(all.leftOut).toEqual(['in/self'])
    const exclude = ['node_modules', 'broken.*', 'self']
    expect(await choose(folder, ['in'], { exclude })).toEqual({ names: ['in/a.png'], leftOut: [] })
  },
)

test('a pattern whose matches are all excluded is no error, and its excluded folders are not read', async () => {
  const folder = await folderWith('in/node_modules/b.png', 'in/b.png')
  expect((await choose(folder, ['in/**/*.png'], { exclude: ['*.png'] })).names).toEqual([])
  expect((await choose(folder, ['in/**/*.png'], { exclude: ['node_modules'] })).names).toEqual(['in/b.png'])
  const readFolder = vi.spyOn(fs, 'readdir')
  syncBuiltinESMExports()
  onTestFinished(() => {
    readFolder.mockRestore()
    syncBuiltinESMExports()
  })
  await choose(folder, ['in/**/*.png'], { exclude: ['node_modules'] })
  expect(readFolder.mock.calls.map(([path]) => basename(String(path)))).toEqual(['in'])
})

test.skipIf(process.platform === 'win32')(
  'a pattern goes through links to folders only if links are followed',
  async () => {
    const folder = await folderWith('in/a.png', 'out/b.png')
    for (const [target, link] of [
      ['../out', 'in/out'],
      ['.', 'in/circle'],
      ['../out/b.png', 'in/c.png'],
    ] as const) {
      await symlink(target, join(folder, link))
    }
    expect((await expandAll(folder, ['in/**/*.png'])).items).toEqual(['in/a.png', 'in/c.png'])
    const followed = (await expandAll(folder, ['in/**/*.png'], { follow: true })).items
    expect(followed).toEqual(expect.arrayContaining(['in/a.png', 'in/c.png', 'in/out/b.png']))
  },
)

test('a file whose name looks like a pattern is meant literally', async () => {
  const folder = await folderWith('a[1].jpg', 'a1.jpg')
  expect(await expand(folder, ['a[1].jpg'])).toEqual(['a[1].jpg'])
})

test('a missing file stays an item, for the error that tells of it', async () => {
  const folder = await folderWith()
  expect(await expand(folder, ['gone.jpg'])).toEqual(['gone.jpg'])
})

test('each item has a size: 0 for a missing file, unknown for standard input', async () => {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'a'), '12345')
  const files = [{ file: join(folder, 'a') }, { file: join(folder, 'gone') }]
  const items = await withSizes(files)
  expect(items).toEqual([{ file: join(folder, 'a'), bytes: 5 }, files[1]])
  expect(bytesOf([...items, { file: '-', stream: 'stdin' as const }])).toEqual([5, 0, undefined])
})
