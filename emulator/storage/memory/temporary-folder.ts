import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownedFolderPrefix, removeOrphanedFolders } from '../folder/orphaned-folders.ts'

/**
 * A private folder (mode 0700), removed when its owner is done, at the latest when the process exits.
 * @param kind the beginning of its name
 */
export function createTemporaryFolder(kind: string) {
  let made: Promise<string> | undefined
  return {
    /** The path. The first call creates the folder and removes orphaned folders of the same kind. */
    path() {
      made ??= makeFolder(kind).catch((error: unknown) => {
        // Retried at the next call: a full disk may have room again.
        made = undefined
        throw error
      })
      return made
    },
    async remove() {
      const path = await made?.catch(() => undefined)
      made = undefined
      if (path === undefined) return
      await rm(path, { recursive: true, force: true })
      folders.delete(path)
      if (folders.size === 0) process.off('exit', removeFoldersNow)
    },
  }
}

async function makeFolder(kind: string): Promise<string> {
  // First, since it needs no room and the disk may be full because of them.
  await removeOrphanedFolders(tmpdir(), kind)
  const path = await mkdtemp(join(tmpdir(), await ownedFolderPrefix(kind)))
  if (folders.size === 0) process.on('exit', removeFoldersNow)
  folders.add(path)
  return path
}

/** All folders share one exit listener, however many emulators a process has. */
const folders = new Set<string>()

function removeFoldersNow(): void {
  for (const path of folders) rmSync(path, { recursive: true, force: true })
}
