import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder, and those it lies in, for their owner's eyes only.
 *
 * @returns whether it was not there before
 * @throws the system's error where it cannot be made
 */
export function makePrivateFolder(folder: string): boolean {
  if (existsSync(folder)) return false
  // Node's own `recursive` never ends on a file system that knows no new folders, as /proc.
  const parent = dirname(folder)
  if (parent !== folder) makePrivateFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    // Another process may have been faster.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
