import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCodeOf } from '../../../src/system/system-errors.ts'

/**
 * Creates a private folder and its missing parents; does nothing if it exists.
 * @throws the system's error if it cannot be created
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if ((await kindOf(path)) === 'folder') return
    // Node's `recursive` never ends on a file system that allows no new folders, such as /proc.
    const isMissing = errorCodeOf(error) === 'ENOENT'
    const parent = dirname(path)
    if (!isMissing || parent === path || (await kindOf(parent)) !== 'nothing') throw error
    await makeFolder(parent)
    await makeFolder(path)
  }
}

async function kindOf(path: string): Promise<'folder' | 'other' | 'nothing'> {
  return stat(path).then(
    (stats) => (stats.isDirectory() ? 'folder' : 'other'),
    () => 'nothing',
  )
}

/** Makes the file names in a folder survive a power failure; file contents are synced separately. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders, and journals names itself.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
