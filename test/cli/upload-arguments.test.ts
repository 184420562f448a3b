import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createRig } from '../helpers/rig.ts'

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

/** A rig with these files; those ending in / are folders. */
async function rigWith(...paths: readonly string[]) {
  const rig = await createRig({ service: { baseUrl: 'http://127.0.0.1:9' } })
  for (const path of paths) {
    if (path.endsWith('/')) await mkdir(join(rig.folder, path), { recursive: true })
    else await rig.write(path, 'x')
  }
  return rig
}

/** Files as `fh upload -n` plans them, with what is wrong with them, and what is told of others. */
async function expand({ fh }: Awaited<ReturnType<typeof rigWith>>, args: readonly string[], ways: Ways = {}) {
  const { recursive, follow, hidden, listed, include = [], exclude = [] } = ways
  const flags = [
    ...['-n', '--any-type', ...(recursive ? ['-r'] : []), ...(follow ? ['-L'] : [])],
    ...[...(hidden ? ['--hidden'] : []), ...(listed ? ['--files-from', '-'] : [])],
    ...[...include.flatMap((glob) => ['--include', glob]), ...exclude.flatMap((glob) => ['--exclude', glob])],
  ]
  const plan = (...format: readonly string[]) =>
    fh(['upload', ...format, ...flags, '--', ...args], { stdin: listed?.join('\n') ?? 'x' })
  const { stdout } = await plan('--json')
  const { stderr } = await plan()
  const { files }: { files: { file: string; error: { code: string } | null }[] } = JSON.parse(stdout)
  return {
    items: files.map(({ file, error }) => (error === null ? file : `${file}: ${error.code}`)),
    leftOut: [...stderr.matchAll(/^(.*) is a .*: left out$/gm)].map(([, path]) => path),
  }
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
  ['a missing file stays an item, for the error that tells of it', ['gone.jpg'], {}, ['gone.jpg: source-missing']],
  ['a dash in a list is a file of that name, not standard input', [], { listed: ['-'] }, ['./-: source-missing']],
  ['paths of a list come after the arguments', ['b.jpg'], { listed: ['a.jpg'] }, ['b.jpg', 'a.jpg']],
  [
    'a path of a list is no pattern',
    [],
    { listed: ['*.jpg', 'in'] },
    ['*.jpg: source-missing', 'in: source-directory'],
  ],
  ['a folder of a list is walked with -r', [], { listed: ['in'], recursive }, ['in/a/z.png', 'in/b.jpg']],
  ['globs choose in folders', ['in', 'b.jpg'], { recursive, include: ['*.png'] }, ['in/a/z.png', 'b.jpg']],
  ['globs choose in patterns', ['in/**/*'], { include: ['/*.jpg', '*.png'], exclude: ['z*'] }, ['in/b.jpg']],
])('%s', async (_, args, ways, items) => {
  const { items: found } = await expand(await rigWith(...tree), args, ways)
  expect(found).toEqual(items)
})

test.each([
  ['twice', ['a.jpg', 'b.jpg', 'a.jpg'], undefined],
  ['by another way', ['a.jpg', './a.jpg', 'b.jpg', 'deep/../b.jpg'], undefined],
  ['through a pattern', ['a.jpg', '*.jpg'], undefined],
  ['before it is in a list', ['a.jpg'], ['b.jpg', './a.jpg', 'b.jpg', 'b.jpg']],
])('a file that is named %s is one item, where it was named first', async (_, args, listed) => {
  const rig = await rigWith('a.jpg', 'b.jpg', 'deep/')
  expect(await expand(rig, args, listed ? { listed } : {})).toMatchObject({ items: ['a.jpg', 'b.jpg'] })
})

test('a URL is one whether it is named or listed, and the same URL counts once; a file of such a path is one on disk', async () => {
  const rig = await rigWith('in/https:/h/cat.jpg', 'in/ftp:/cat.jpg')
  const args = ['https://h/cat.jpg?v=[1]', 'in', 'in/https:/h/cat.jpg', 'in//ftp://cat.jpg']
  const listed = ['https://h/cat.jpg?v=[1]#x', 'http://h/*.jpg']
  expect(await expand(rig, args, { recursive: true, listed })).toMatchObject({
    items: ['https://h/cat.jpg?v=[1]', 'in/ftp:/cat.jpg', 'in/https:/h/cat.jpg', 'http://h/*.jpg'],
  })
})

test.each([
  ['lines of Windows', 'a.jpg\r\n\r\nb.jpg\r\n'],
  ['a byte order mark', '\ufeffa.jpg\nb.jpg'],
  ['UTF-16, as Windows PowerShell writes it', Buffer.from('\ufeffa.jpg\r\nb.jpg\r\n', 'utf16le')],
])('a list of paths may have %s', async (_, stdin) => {
  const { fh } = await rigWith()
  const { stdout } = await fh(['upload', '-n', '--json', '--files-from', '-'], { stdin })
  expect(JSON.parse(stdout).files).toMatchObject([{ file: 'a.jpg' }, { file: 'b.jpg' }])
})

describe.skipIf(process.platform === 'win32')('links', () => {
  const links = { 'b.jpg': 'a.jpg', bad: 'nowhere', dev: '/dev/null', in: '../in', up: '..', 'x/bad': 'nowhere' }
  const gone = ': source-missing'
  const exclude = ['bad', 'dev', 'in', 'up', 'x']

  test.each<[string, string, Ways, readonly string[], readonly string[]]>([
    ['only links to files count', 'l', { recursive }, ['a.jpg', 'b.jpg', `bad${gone}`, `x/bad${gone}`], ['in', 'up']],
    ['what is excluded is not read', 'l', { recursive, exclude }, ['a.jpg', 'b.jpg'], []],
    ['a pattern matches no device', 'l/d*', {}, [`d*${gone}`], []],
    ['a pattern goes through no link', 'l/**/b.jpg', {}, ['b.jpg'], []],
    ['a pattern goes through links that are followed', 'l/i*/b.jpg', { follow: true }, ['in/b.jpg'], []],
  ])('%s', async (_, argument, ways, items, leftOut) => {
    const rig = await rigWith(...tree)
    for (const [link, target] of Object.entries(links)) await symlink(target, join(rig.folder, 'l', link))
    const found = await expand(rig, [argument], ways)
    expect([found.items, found.leftOut]).toEqual([items, leftOut].map((paths) => paths.map((path) => `l/${path}`)))
  })
})
