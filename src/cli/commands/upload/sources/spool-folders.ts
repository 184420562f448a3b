import type { Stats } from 'node:fs'
import { lstat, mkdtemp, readdir, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isGone, type ProcessOwner, thisProcess } from '../../../../system/process-identity.ts'

/** The name holds the owning process, so that the owner is known from the moment the folder exists. */
const NAME = /^fh-spool-([0-9a-f]*)-([0-9a-f]*)-(\d*)-(\d+)-(\d*)-\w{6}$/

/** Makes a folder that only this user can open, named after this process. */
export async function makeSpoolFolder(parent: string): Promise<string> {
  const { host, boot, space, pid, start } = thisProcess()
  return await mkdtemp(join(parent, `fh-spool-${host}-${boot}-${space}-${pid}-${start}-`))
}

/**
 * Removes the folders that killed processes left. Follows no links, and removes only folders of this user with such a
 * name.
 *
 * @param own this process's new folder; its time of change gives the current time of the file system
 */
export async function sweepSpoolFolders(parent: string, own: string): Promise<void> {
  const now = (await lstat(own)).mtimeMs
  const names = await readdir(parent).catch(() => [])
  for (const name of names) {
    const owner = ownerIn(name)
    const folder = join(parent, name)
    if (owner === undefined || folder === own) continue
    // Another process may be sweeping too, or the folder is not ours: leave it.
    await removeLeft(folder, (mtimeMs) => isGone(owner, now - mtimeMs)).catch(() => {})
  }
}

async function removeLeft(folder: string, isLeft: (mtimeMs: number) => boolean): Promise<void> {
  const stats = await lstat(folder)
  if (!stats.isDirectory() || !isPrivate(stats) || !isLeft(stats.mtimeMs)) return
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if ((await lstat(path)).isFile()) await unlink(path)
  }
  await rmdir(folder)
}

function isPrivate({ uid, mode }: Stats): boolean {
  return process.platform === 'win32' || (uid === process.getuid?.() && (mode & 0o077) === 0)
}

function ownerIn(name: string): ProcessOwner | undefined {
  const [, host, boot, space, pid, start] = NAME.exec(name) ?? []
  if (host === undefined || boot === undefined || space === undefined || start === undefined) return undefined
  return { host, boot, space, pid: Number(pid), start }
}
