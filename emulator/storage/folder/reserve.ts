import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Much more than a few deletions need in the database's log. */
const reserveBytes = 1_048_576

/** Less is little: with more, the database's log may grow to its usual 4 MiB and be written back, which takes as much. */
const plentyBytes = 8 * reserveBytes

/** For storage without a disk. */
export const noReserve: Reserve = {
  ensure: () => true,
  lend: () => {},
  isLow: () => false,
  isGone: () => false,
  release: () => {},
}

/** @param path a file name that nothing else uses */
export function createReserve(path: string) {
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
  const isGone = () => !existsSync(dirname(path))
  const freeBytes = () => {
    if (isGone()) return 0
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize
  }
  return {
    /** Whether the space is reserved; tries to reserve it again if not. */
    ensure() {
      if (isHeld) return true
      isHeld = take()
      if (!isHeld) release()
      return isHeld
    },
    /** Frees the space if the disk has no more than that left; call right before a commit. */
    lend() {
      if (freeBytes() < reserveBytes) release()
    },
    /** Whether the disk has little space left, or has none reserved. */
    isLow: () => !isHeld || freeBytes() < plentyBytes,
    /** Whether the folder was removed while it was in use. */
    isGone,
    release,
  }
}

/**
 * A file that reserves disk space. On a full disk it is deleted for a commit and written again after it; if that fails,
 * only deletions are made, which write before they free anything.
 */
export type Reserve = ReturnType<typeof createReserve>
