import type { Stats } from 'node:fs'
import { lstat, mkdtemp, readdir, rm, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isLocked, openLock } from '../../../../store/sqlite.ts'

const NAME = /^fh-spool-\w{6}$/
/** The name of a file in the folder that its run holds until it ends, however it ends. */
const LOCK = '.fh-run.lock'

/** A folder that only this user can open; disposing removes it. */
export interface SpoolFolder extends AsyncDisposable {
  readonly path: string
}

export async function makeSpoolFolder(parent: string): Promise<SpoolFolder> {
  const path = await mkdtemp(join(parent, 'fh-spool-'))
  const lock = openLock(join(path, LOCK))
  return {
    path,
    async [Symbol.asyncDispose]() {
      lock.close()
      await rm(path, { recursive: true, force: true })
    },
  }
}

/**
 * Removes the folders that killed runs left. Follows no links, and removes only folders of this user with such a name and
 * a lock that no run holds.
 */
export async function sweepSpoolFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    // Another run may be sweeping too, or the folder is not ours: leave it.
    if (NAME.test(name)) await removeLeft(join(parent, name)).catch(() => {})
  }
}

async function removeLeft(folder: string): Promise<void> {
  const stats = await lstat(folder)
  if (!stats.isDirectory() || !isPrivate(stats)) return
  const names = await readdir(folder)
  if (!names.includes(LOCK) || isLocked(join(folder, LOCK))) return
  for (const name of names) {
    const path = join(folder, name)
    if ((await lstat(path)).isFile()) await unlink(path)
  }
  await rmdir(folder)
}

function isPrivate({ uid, mode }: Stats): boolean {
  return process.platform === 'win32' || (uid === process.getuid?.() && (mode & 0o077) === 0)
}
