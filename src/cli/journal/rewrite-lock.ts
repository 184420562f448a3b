import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Clock } from '../../index.ts'
import { openPrivateFile } from '../../system/private-file.ts'
import { isGone, parseOwner, thisProcess } from '../../system/process-identity.ts'

/**
 * Lets one process at a time do work that another process can do as well.
 *
 * @param path of the lock file, which exists during the work
 * @returns false if another process holds the lock; one left by a process that has ended is removed for the next try
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

const [TRIES, BETWEEN_TRIES_MS] = [50, 100]

/**
 * Tries work that needs the lock again for 5 s.
 * @param work returns false if another process holds the lock
 * @returns false if the work was never done
 */
export async function waitingForLock(work: () => boolean, clock: Clock, signal: AbortSignal): Promise<boolean> {
  for (let tries = 1; !work(); tries += 1) {
    if (tries === TRIES) return false
    await clock.sleep(BETWEEN_TRIES_MS, signal)
  }
  return true
}

function acquire(path: string): boolean {
  // Not the process id: containers that share a folder use the same ids.
  const mine = `${path}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(mine, JSON.stringify(thisProcess()), { mode: 0o600, flag: 'wx' })
    // Linking is atomic, and the lock has its content from the start.
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

/** @param now by the file system's clock, which also dates the lock */
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
