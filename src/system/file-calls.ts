import { close, constants, fstat, open, read, stat } from 'node:fs'
import { promisify } from 'node:util'

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
