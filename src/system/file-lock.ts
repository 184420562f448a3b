import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readJson } from '../checks/values.ts'
import type { Clock } from '../clock.ts'
import { openPrivateFile } from './private-file.ts'
import { isGone, isSameProcess, processOwner, thisProcess } from './process-identity.ts'
import { errorCodeOf } from './system-errors.ts'

/**
 * Lets one process at a time do work that another process can do as well.
 *
 * @param path of the lock file, which exists during the work
 * @returns false if another process holds the lock, or if the work says so; a lock left by a process that has ended is
 * removed for the next try
 */
export function withLock(path: string, work: () => unknown): boolean {
  const lock = takeLock(path)
  if (lock === undefined) return false
  try {
    return work() !== false
  } finally {
    lock.release()
  }
}

/**
 * The same for work that takes long: the caller releases the lock.
 * @returns undefined if another process, or another part of this one, holds it
 */
export function takeLock(path: string) {
  const me = thisProcess()
  if (!acquire(path, JSON.stringify(me))) return undefined
  return {
    release(): void {
      // Out of sight for long, the lock may have been taken for one left behind: then it is another's now.
      const owner = lockHolder(path)?.owner
      if (owner !== undefined && isSameProcess(owner, me)) rmSync(path, { force: true })
    },
  }
}

const [TRIES, BETWEEN_TRIES_MS] = [50, 100]

/**
 * Tries work that needs the lock again for 5 s.
 * @param work returns false if another process holds the lock
 * @returns false if the work was never done
 */
export async function waitingForLock(work: () => boolean, clock: Clock, signal?: AbortSignal): Promise<boolean> {
  for (let tries = 1; !work(); tries += 1) {
    if (tries === TRIES) return false
    await clock.sleep(BETWEEN_TRIES_MS, signal)
  }
  return true
}

function acquire(path: string, owner: string): boolean {
  // Not the process id: containers that share a folder use the same ids.
  const mine = `${path}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(mine, owner, { mode: 0o600, flag: 'wx' })
    publish(mine, path, owner)
    return true
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
    removeLeftBehind(path, lstatSync(mine).mtimeMs)
    return false
  } finally {
    rmSync(mine, { force: true })
  }
}

/** Linking is atomic, and the lock has its content from the start. */
function publish(mine: string, path: string, owner: string): void {
  try {
    linkSync(mine, path)
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') throw error
    // The file system has no links.
    writeFileSync(path, owner, { mode: 0o600, flag: 'wx' })
  }
}

/**
 * Of two processes that find a lock left behind, the second must not remove the one that the first has made since: each
 * looks again under a lock of its own.
 */
function removeLeftBehind(path: string, now: number): void {
  if (!isLeftBehind(path, now)) return
  withLock(`${path}.left`, () => {
    if (isLeftBehind(path, now)) rmSync(path, { force: true })
  })
}

/** Without links a lock is empty for a moment. */
const NAMELESS_MS = 10_000

/** @param now by the file system's clock, which also dates the lock */
function isLeftBehind(path: string, now: number): boolean {
  const holder = lockHolder(path)
  if (holder === undefined) return false
  const ageMs = now - holder.since
  return holder.owner === undefined ? ageMs > NAMELESS_MS : isGone(holder.owner, ageMs)
}

/**
 * Who holds a lock, where it says so, and since when by the file system's clock, in epoch milliseconds.
 * @returns undefined where the lock is free
 */
export function lockHolder(path: string) {
  try {
    const lock = openPrivateFile(path, constants.O_RDONLY)
    try {
      return { owner: readJson(processOwner, readFileSync(lock, 'utf8')), since: fstatSync(lock).mtimeMs }
    } finally {
      closeSync(lock)
    }
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
