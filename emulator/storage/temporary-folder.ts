import { existsSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isLocked, openLock } from '../../src/store/sqlite.ts'

const lockName = 'lock'

/** Of all emulators of this process: they share one listener. */
const folders = new Set<TemporaryFolder>()
const removeAll = () => {
  for (const folder of folders) folder.remove()
}

/** A private folder (mode 0700), removed when its owner is done, at the latest when the process exits. */
export class TemporaryFolder {
  readonly #kind: string
  #made: { readonly path: string; readonly lock: DatabaseSync } | undefined

  /** @param kind the beginning of its name */
  constructor(kind: string) {
    this.#kind = kind
  }

  /** Undefined before it is first needed. */
  get made(): string | undefined {
    return this.#made?.path
  }

  /** The first call creates the folder and removes orphaned ones of the same kind. */
  path(): string {
    this.#made ??= this.#make()
    return this.#made.path
  }

  #make() {
    // First, since it needs no room and the disk may be full because of them.
    removeOrphanedFolders(tmpdir(), this.#kind)
    // Under a name that nothing looks for until its lock is held; the lock ends with the process.
    const unlocked = mkdtempSync(join(tmpdir(), `.${this.#kind}-`))
    const lock = openLock(join(unlocked, lockName))
    const path = unlocked.replace(`.${this.#kind}-`, `${this.#kind}-`)
    renameSync(unlocked, path)
    if (folders.size === 0) process.on('exit', removeAll)
    folders.add(this)
    return { path, lock }
  }

  remove(): void {
    if (this.#made === undefined) return
    const { path, lock } = this.#made
    lock.close()
    rmSync(path, { recursive: true, force: true })
    this.#made = undefined
    folders.delete(this)
    if (folders.size === 0) process.off('exit', removeAll)
  }
}

/**
 * Removes folders whose process was killed before it could. Each has a lock that no process holds, and is this user's and
 * no link. Anything doubtful stays, and failures are ignored: cleaning up must not stop the caller.
 * @param within the folder to search, shared with all users
 */
export function removeOrphanedFolders(within: string, kind: string): void {
  for (const entry of readdirSync(within).filter((name) => name.startsWith(`${kind}-`))) {
    const path = join(within, entry)
    try {
      const found = lstatSync(path)
      // Windows has no user ids, but one temporary folder per user.
      const isOwn = process.getuid === undefined || found.uid === process.getuid()
      const lock = join(path, lockName)
      const isOrphaned = isOwn && found.isDirectory() && existsSync(lock) && !isLocked(lock)
      if (isOrphaned) rmSync(path, { recursive: true, force: true })
    } catch {
      // Another emulator may have removed it.
    }
  }
}
