import { randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'

/**
 * A file that reserves disk space. It is deleted when the disk is full, so that deletions, which write before they free
 * anything, can still be written; nothing else is stored until the space is reserved again.
 */
export interface Reserve {
  /** Whether the space is reserved; tries to reserve it again if not. */
  ensure(): boolean
  /** Frees the space. */
  release(): void
}

/** Much more than a few deletions need in the database's log. */
const reserveBytes = 1_048_576

/** For storage without a disk. */
export const noReserve: Reserve = { ensure: () => true, release: () => {} }

/** @param path a file name that nothing else uses */
export function createReserve(path: string): Reserve {
  let isHeld = false
  const release = () => {
    isHeld = false
    rmSync(path, { force: true })
  }
  const take = () => {
    try {
      const file = openSync(path, 'wx', 0o600)
      try {
        // Random, since some file systems do not store zeros.
        return writeSync(file, randomBytes(reserveBytes)) === reserveBytes
      } finally {
        closeSync(file)
      }
    } catch {
      return false
    }
  }
  return {
    ensure() {
      if (isHeld) return true
      isHeld = take()
      if (!isHeld) release()
      return isHeld
    },
    release,
  }
}
