import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A private folder (mode 0700) that is gone with its owner, at the latest when the process exits. */
export interface TemporaryFolder {
  /** Its path; the folder is made when this is first asked for. */
  path(): Promise<string>
  /** Removes the folder and what is in it. */
  remove(): Promise<void>
}

export function createTemporaryFolder(prefix: string): TemporaryFolder {
  let made: Promise<string> | undefined
  return {
    path() {
      made ??= mkdtemp(join(tmpdir(), prefix)).then((path) => {
        if (folders.size === 0) process.on('exit', removeFoldersNow)
        folders.add(path)
        return path
      })
      return made
    },
    async remove() {
      const path = await made
      made = undefined
      if (path === undefined) return
      await rm(path, { recursive: true, force: true })
      folders.delete(path)
      if (folders.size === 0) process.off('exit', removeFoldersNow)
    },
  }
}

/** One listener for all folders, so that many emulators in one process do not add many. */
const folders = new Set<string>()

function removeFoldersNow(): void {
  for (const path of folders) rmSync(path, { recursive: true, force: true })
}
