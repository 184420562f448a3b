import { randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'

/**
 * Room that is kept free on a disk by a file that fills it. It is given up when the disk is full, so that deletions, which
 * write before they free anything, can still be written; until it is there again nothing else is taken.
 */
export interface Reserve {
  /** Whether it is there; where it is not, it is taken again if the disk has room for it. */
  holds(): boolean
  /** Gives the room up. */
  release(): void
}

/** What a few deletions need in the log of the database, many times over. */
const reserveBytes = 1_048_576

/** For what has no disk to fill. */
export const noReserve: Reserve = { holds: () => true, release: () => {} }

/** @param path the file, whose name must be nobody else's */
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
        // Not zeros, which some file systems do not store.
        return writeSync(file, randomBytes(reserveBytes)) === reserveBytes
      } finally {
        closeSync(file)
      }
    } catch {
      return false
    }
  }
  return {
    holds() {
      if (isHeld) return true
      isHeld = take()
      if (!isHeld) release()
      return isHeld
    },
    release,
  }
}
