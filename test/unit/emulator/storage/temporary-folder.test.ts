import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { removeOrphanedFolders, TemporaryFolder } from '../../../../emulator/storage/temporary-folder.ts'
import { openLock } from '../../../../src/store/sqlite.ts'
import { temporaryFilesHere } from '../../../helpers/temporary-folder.ts'

let place: string

beforeEach(() => {
  place = temporaryFilesHere()
})

/** A folder as a killed process leaves it: its lock is not held. */
function left(name: string): string {
  mkdirSync(join(place, name))
  openLock(join(place, name, 'lock')).close()
  writeFileSync(join(place, name, 'bytes'), 'bytes')
  return join(place, name)
}

test('creating a temporary folder removes the orphaned ones of its kind', () => {
  const orphan = left('kind-AbCd12')
  const temporary = new TemporaryFolder('kind')
  const path = temporary.path()
  expect([existsSync(orphan), existsSync(path)]).toEqual([false, true])
  temporary.remove()
  expect(readdirSync(place)).toEqual([])
})

test('a folder stays if its process lives, if it is of another kind, or if it has no lock', () => {
  const living = new TemporaryFolder('kind')
  const path = living.path()
  mkdirSync(join(place, 'kind-without'))
  const names = ['other-AbCd12', 'kind'].map(left)
  removeOrphanedFolders(place, 'kind')
  expect([path, join(place, 'kind-without'), ...names].filter((each) => !existsSync(each))).toEqual([])
  living.remove()
})

test('neither a link, nor its target, nor a file is removed', () => {
  const elsewhere = left('elsewhere')
  symlinkSync(elsewhere, join(place, 'kind-AbCd12'))
  writeFileSync(join(place, 'kind-AbCd34'), '')
  removeOrphanedFolders(place, 'kind')
  expect(lstatSync(join(place, 'kind-AbCd12')).isSymbolicLink()).toBe(true)
  expect([existsSync(join(elsewhere, 'bytes')), existsSync(join(place, 'kind-AbCd34'))]).toEqual([true, true])
})
