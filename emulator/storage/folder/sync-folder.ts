import { open } from 'node:fs/promises'

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
