import { copyFile, open, rename, rm } from 'node:fs/promises'
import { errorCodeOf } from './system-errors.ts'

/**
 * Moves a whole draft to the name of a file in the same folder. A file that has a mount of its own, as `docker run -v
 * ./a.json:/a.json` makes it, is replaced by no rename, but overwritten; the draft is there until that is done.
 */
export async function moveOver(draft: string, path: string): Promise<void> {
  try {
    return await rename(draft, path)
  } catch (error) {
    if (!isMounted(error)) throw error
  }
  await copyFile(draft, path)
  await using file = await open(path, 'r+')
  await file.sync()
  await rm(draft)
}

/** Whether a rename failed because a file at one of its ends is a mount point. */
export function isMounted(error: unknown): boolean {
  return errorCodeOf(error) === 'EBUSY'
}
