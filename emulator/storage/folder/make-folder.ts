import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder, and those it lies in, for their owner's eyes only, where they are not there.
 * @throws the system's error where it cannot be made
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if ((await kindOf(path)) === 'folder') return
    // Node's own `recursive` never ends on a file system that knows no new folders, as /proc.
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
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
