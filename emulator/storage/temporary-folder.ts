import { hash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { lstat, mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../src/system/processes.ts'

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

/** The beginning of the names of this process's folders: `<kind>-<host>-<process id>-`. */
export async function ownedFolderPrefix(kind: string): Promise<string> {
  return `${kind}-${await processHost()}-${process.pid}-`
}

/**
 * Removes folders whose process was killed before it could. The name must show a process of this host that no longer
 * exists, and the folder must be this user's and not a link. Anything doubtful stays, and failures are ignored:
 * cleaning up must not stop the caller.
 *
 * @param within the folder to search, shared with all users
 */
export async function removeOrphanedFolders(within: string, kind: string): Promise<void> {
  const begin = `${kind}-${await processHost()}-`
  const entries = await readdir(within).catch(() => [])
  const left = entries.filter((entry) => entry.startsWith(begin) && isOrphaned(entry.slice(begin.length)))
  await Promise.all(left.map((entry) => removeOwn(join(within, entry)).catch(() => {})))
}

/**
 * A reused process id counts as alive, so too little is removed rather than too much.
 * @param rest the name after the host
 */
function isOrphaned(rest: string): boolean {
  const [, pid] = /^(\d{1,10})-[A-Za-z0-9]{6}$/.exec(rest) ?? []
  return pid !== undefined && Number(pid) > 0 && !isAlive(Number(pid))
}

async function removeOwn(path: string): Promise<void> {
  const found = await lstat(path)
  // Windows has no user ids, but one temporary folder per user.
  const isOwn = process.getuid === undefined || found.uid === process.getuid()
  if (isOwn && found.isDirectory()) await rm(path, { recursive: true, force: true })
}

/**
 * A hash of the host and, on Linux, the process namespace: containers that share only a folder must not judge each
 * other's process ids.
 */
async function processHost(): Promise<string> {
  const space = await readlink('/proc/self/ns/pid').catch(() => '')
  return hash('sha256', `${hostname()} ${space}`).slice(0, 12)
}
