import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownedPrefix, sweepLeftFolders } from '../folder/orphaned-folders.ts'

/** A private folder (mode 0700) that is gone with its owner, at the latest when the process exits. */
export interface TemporaryFolder {
  /** Its path; the folder is made when this is first asked for, and what processes that were killed left of this kind goes. */
  path(): Promise<string>
  /** Removes the folder and what is in it. */
  remove(): Promise<void>
}

/** @param kind what its name begins with */
export function createTemporaryFolder(kind: string): TemporaryFolder {
  let made: Promise<string> | undefined
  return {
    path() {
      made ??= makeFolder(kind).catch((error: unknown) => {
        // A disk that was full may have room for the next file.
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
  // It needs no room, so it comes first: the disk may be full because of them.
  await sweepLeftFolders(tmpdir(), kind)
  const path = await mkdtemp(join(tmpdir(), await ownedPrefix(kind)))
  if (folders.size === 0) process.on('exit', removeFoldersNow)
  folders.add(path)
  return path
}

/** One listener for all folders, so that many emulators in one process do not add many. */
const folders = new Set<string>()

function removeFoldersNow(): void {
  for (const path of folders) rmSync(path, { recursive: true, force: true })
}
