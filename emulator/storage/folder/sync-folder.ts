import { open } from 'node:fs/promises'

/** Makes the names in a folder survive the loss of power; the bytes of its files are synced on their own. */
export async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders, and writes names to its journal by itself.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
