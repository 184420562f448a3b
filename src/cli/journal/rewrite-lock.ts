import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { openPrivateFile } from '../../system/private-file.ts'
import { isGone, parseOwner, thisProcess } from '../../system/process-identity.ts'

/**
 * Has one process at a time do a work that can as well be left to another.
 *
 * @param path of the lock, which exists while somebody works
 * @returns whether it was done: whoever holds the lock is left to it, and one left by a process that has gone is removed
 * for the next time
 */
export function withLock(path: string, work: () => void): boolean {
  if (!acquire(path)) return false
  try {
    work()
    return true
  } finally {
    rmSync(path, { force: true })
  }
}

function acquire(path: string): boolean {
  // Process ids are no names: containers that share a folder have the same ones.
  const mine = `${path}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(mine, JSON.stringify(thisProcess()), { mode: 0o600, flag: 'wx' })
    // A link either is made or is not, and what it names has its content already.
    linkSync(mine, path)
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    if (isLeftBehind(path, lstatSync(mine).mtimeMs)) rmSync(path, { force: true })
    return false
  } finally {
    rmSync(mine, { force: true })
  }
}

/** @param now by the clock of the folder, which is the one the lock was dated by */
function isLeftBehind(path: string, now: number): boolean {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false
  const lock = openPrivateFile(path, constants.O_RDONLY)
  try {
    const owner = parseOwner(readFileSync(lock, 'utf8'))
    return owner === undefined || isGone(owner, now - fstatSync(lock).mtimeMs)
  } finally {
    closeSync(lock)
  }
}
