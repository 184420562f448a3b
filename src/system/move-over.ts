import { copyFile, rename, rm } from 'node:fs/promises'
import { errorCodeOf } from './system-errors.ts'

/**
 * Moves a whole draft to the name of a file in the same folder. A file that has a mount of its own, as `docker run -v
 * ./a.json:/a.json` makes it, is replaced by no rename, but overwritten; the draft is there until that is done.
 */
export async function moveOver(draft: string, path: string): Promise<void> {
  try {
    return await rename(draft, path)
  } catch (error) {
    if (errorCodeOf(error) !== 'EBUSY') throw error
  }
  await copyFile(draft, path)
  await rm(draft)
}
