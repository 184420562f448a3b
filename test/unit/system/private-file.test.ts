import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makePrivateFolder, openPrivateFile } from '../../../src/system/private-file.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT } = constants
const stranger = 54_321
const isRoot = process.geteuid?.() === 0

function touch(path: string): void {
  closeSync(openPrivateFile(path, O_RDWR | O_APPEND | O_CREAT))
}

function readPrivateFile(path: string): string {
  const file = openPrivateFile(path, O_RDONLY)
  try {
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

describe.skipIf(process.platform === 'win32')('a file of ours', () => {
  test('a private file is made private, and made private again if others could read it', () => {
    const path = join(temporaryFolder(), 'file')
    touch(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    chmodSync(path, 0o666)
    touch(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('a private file is not read if a folder has its name', () => {
    expect(() => readPrivateFile(temporaryFolder())).toThrow('is not a regular file')
  })

  test('a private file is not used if it belongs to another user', (ctx) => {
    ctx.skip(!isRoot, 'left out: only root can give a file to another user')
    const path = join(temporaryFolder(), 'file')
    writeFileSync(path, 'theirs')
    chownSync(path, stranger, stranger)
    expect(() => touch(path)).toThrow(`${path} belongs to another user`)
    expect(() => readPrivateFile(path)).toThrow(`${path} belongs to another user`)
  })
})

describe.skipIf(process.platform === 'win32')('a private folder', () => {
  test('a private folder is made with its parents for its owner only, and may be their link to a folder of theirs, but not to another user’s', (ctx) => {
    const place = temporaryFolder()
    const [target, link] = [join(place, 'target'), join(place, 'link')]
    mkdirSync(target)
    symlinkSync(target, link)
    const fh = join(link, 'state', 'fh')
    makePrivateFolder(fh)
    makePrivateFolder(fh)
    expect(statSync(fh).mode & 0o777).toBe(0o700)
    ctx.skip(!isRoot, 'left out: only root can give a folder to another user')
    chownSync(target, stranger, stranger)
    expect(() => makePrivateFolder(link)).toThrow(`${link} is a link, which is not followed`)
  })
})

test.skipIf(!existsSync('/proc/self'))('where no folder can be made the attempt ends', () => {
  expect(() => makePrivateFolder('/proc/none/state')).toThrow(/ENOENT|EACCES|EROFS|EPERM/)
})
