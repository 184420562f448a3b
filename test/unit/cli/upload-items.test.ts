import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { expandArguments } from '../../../src/cli/upload-items.ts'

/** A folder with these files; those ending in / are folders. */
async function folderWith(...paths: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-items-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const path of paths) {
    await mkdir(join(folder, path.endsWith('/') ? path : join(path, '..')), { recursive: true })
    if (!path.endsWith('/')) await writeFile(join(folder, path), 'x')
  }
  return folder
}

async function expand(folder: string, args: readonly string[], recursive = false): Promise<readonly string[]> {
  const items = await expandArguments(
    args.map((argument) => (argument === '-' ? argument : join(folder, argument))),
    { recursive },
  )
  return items.map(({ file, problem }) => {
    const name = file === '-' ? file : file.slice(folder.length + 1)
    return problem === undefined ? name : `${name}: ${problem.code}`
  })
}

test('arguments keep their order, and a file named twice stays twice', async () => {
  const folder = await folderWith('a.jpg', 'b.jpg')
  expect(await expand(folder, ['b.jpg', 'a.jpg', '-', 'b.jpg'])).toEqual(['b.jpg', 'a.jpg', '-', 'b.jpg'])
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
  expect(await expand(folder, ['in'], true)).toEqual(['in/a.jpg', 'in/b.jpg', 'in/dangling.jpg'])
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

test('a pattern that matches nothing is a missing file', async () => {
  const folder = await folderWith('a.jpg')
  expect(await expand(folder, ['*.png'])).toEqual(['*.png: source-missing'])
})

test('a file whose name looks like a pattern is meant literally', async () => {
  const folder = await folderWith('a[1].jpg', 'a1.jpg')
  expect(await expand(folder, ['a[1].jpg'])).toEqual(['a[1].jpg'])
})

test('a folder or pattern adds no file that is there already', async () => {
  const folder = await folderWith('in/a.jpg', 'in/b.jpg')
  expect(await expand(folder, ['in/b.jpg', 'in'], true)).toEqual(['in/b.jpg', 'in/a.jpg'])
})

test('a missing file stays an item, for the error that tells of it', async () => {
  const folder = await folderWith()
  expect(await expand(folder, ['gone.jpg'])).toEqual(['gone.jpg'])
})
