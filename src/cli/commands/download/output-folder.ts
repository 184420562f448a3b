import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DownloadError } from '../../../index.ts'
import { errorCodeOf, reasonOf } from '../../../system/system-errors.ts'

/**
 * Makes a folder for downloads, with its missing parents.
 * @throws DownloadError of code `file-unwritable`
 */
export async function makeOutputFolder(path: string): Promise<void> {
  try {
    await makeFolders(path)
  } catch (error) {
    throw new DownloadError('file-unwritable', `Cannot create the folder ${path}: ${reasonOf(error)}`, {
      hint: 'Choose another folder with -O',
      cause: error,
    })
  }
}

/** Node's `recursive` option never returns on file systems such as /proc, where no folder can be created. */
async function makeFolders(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (errorCodeOf(error) !== 'ENOENT' || dirname(path) === path || (await isThere(dirname(path)))) throw error
    await makeFolders(dirname(path))
    await makeFolders(path)
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
