import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCodeOf, reasonOf } from '../../../system/system-errors.ts'
import { CliError } from '../../failures/cli-error.ts'

/**
 * Makes a folder for downloads, and those it lies in, where they are not there.
 * @throws CliError of code `file-unwritable`
 */
export async function makeOutputFolder(path: string): Promise<void> {
  try {
    await makeFolders(path)
  } catch (error) {
    throw new CliError('file-unwritable', `The folder ${path} cannot be made: ${reasonOf(error)}`, {
      hint: 'Name another folder with -O',
      cause: error,
    })
  }
}

/** Node's own `recursive` never ends on a file system that knows no new folders, as /proc. */
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
