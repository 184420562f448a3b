import { close, constants, copyFile, fstat, open, read, rename, rm, stat } from 'node:fs'
import { promisify } from 'node:util'
import { errorCodeOf } from './system-errors.ts'

// Calls that other threads make, for files that may lie on another machine. Loading node:fs/promises takes a millisecond
// of a command that uploads one file.
export const statOf = promisify(stat)
export const statOfOpen = promisify(fstat)
export const readInto = promisify(read)
export const closeFile = promisify(close)

const openFile = promisify(open)

/** Opens a file for reading. Opening a pipe that has no writer would otherwise never return. @returns its descriptor */
export async function openWithoutWaiting(path: string): Promise<number> {
  return await openFile(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
}

/**
 * Moves a whole draft to the name of a file in the same folder. A file that has a mount of its own, as `docker run -v
 * ./a.json:/a.json` makes it, is replaced by no rename, but overwritten; the draft is there until that is done.
 */
export async function moveOver(draft: string, path: string): Promise<void> {
  try {
    return await promisify(rename)(draft, path)
  } catch (error) {
    if (errorCodeOf(error) !== 'EBUSY') throw error
  }
  await promisify(copyFile)(draft, path)
  await promisify(rm)(draft)
}
