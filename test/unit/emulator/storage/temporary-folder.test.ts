import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import {
  createTemporaryFolder,
  ownedFolderPrefix,
  removeOrphanedFolders,
} from '../../../../emulator/storage/temporary-folder.ts'
import { temporaryFilesHere } from '../../../helpers/temporary-folder.ts'

let place: string
/** The prefix of a process that no longer exists. */
let dead: string

beforeEach(async () => {
  place = temporaryFilesHere()
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  dead = (await ownedFolderPrefix('kind')).replace(`-${process.pid}-`, `-${pid}-`)
})

function folder(name: string): string {
  mkdirSync(join(place, name))
  writeFileSync(join(place, name, 'bytes'), 'bytes')
  return join(place, name)
}

test('creating a temporary folder removes the orphaned ones of its kind', async () => {
  const left = folder(`${dead}AbCd12`)
  const temporary = createTemporaryFolder('kind')
  const path = await temporary.path()
  expect([existsSync(left), existsSync(path)]).toEqual([false, true])
  await temporary.remove()
  expect(existsSync(path)).toBe(false)
})

test('a folder stays if its process lives, if it is of another host or kind, or if its name is unclear', async () => {
  const own = await ownedFolderPrefix('kind')
  const names = [
    `${own}AbCd12`,
    `kind-000000000000-${dead.split('-')[2]}-AbCd12`,
    dead.replace('kind', 'other').concat('AbCd12'),
    `${dead}AbCd123`,
    `${dead}..`,
    'kind-AbCd12',
  ]
  for (const name of names) folder(name)
  await removeOrphanedFolders(place, 'kind')
  expect(names.filter((name) => !existsSync(join(place, name, 'bytes')))).toEqual([])
})

test('neither a link, nor its target, nor a file is removed', async () => {
  const elsewhere = folder('elsewhere')
  symlinkSync(elsewhere, join(place, `${dead}AbCd12`))
  writeFileSync(join(place, `${dead}AbCd34`), '')
  await removeOrphanedFolders(place, 'kind')
  expect(lstatSync(join(place, `${dead}AbCd12`)).isSymbolicLink()).toBe(true)
  expect([existsSync(join(elsewhere, 'bytes')), existsSync(join(place, `${dead}AbCd34`))]).toEqual([true, true])
})
