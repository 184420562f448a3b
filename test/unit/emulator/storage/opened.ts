import { onTestFinished } from 'vitest'
import { openDataFolder, type Storage } from '../../../../emulator/storage/open.ts'

/** Storage in a folder, closed at the latest when the test ends. */
export async function openFolder(folder: string): Promise<Storage> {
  const storage = await openDataFolder(folder)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= storage.close()
    return closed
  }
  onTestFinished(close)
  return { ...storage, close }
}
