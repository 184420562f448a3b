import { hash } from 'node:crypto'
import { lstat, readdir, readlink, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isAlive } from './is-alive.ts'

/** What the name of a folder begins with that this process owns: `<kind>-<place>-<process id>-`. */
export async function ownedPrefix(kind: string): Promise<string> {
  return `${kind}-${await placeOfProcess()}-${process.pid}-`
}

/**
 * Removes folders whose owner was killed before it could. A folder goes only if its name says that a process of this
 * place owned it which there no longer is, and if it is this user's and no link. What cannot be told or removed stays:
 * tidying up for others must not keep anybody from working.
 *
 * @param within the folder to look in, which is shared with everybody
 */
export async function sweepLeftFolders(within: string, kind: string): Promise<void> {
  const begin = `${kind}-${await placeOfProcess()}-`
  const entries = await readdir(within).catch(() => [])
  const left = entries.filter((entry) => entry.startsWith(begin) && isLeft(entry.slice(begin.length)))
  await Promise.all(left.map((entry) => removeOwn(join(within, entry)).catch(() => {})))
}

/**
 * A number that another process has meanwhile counts as alive: too little is swept rather than too much.
 * @param rest of a name, after the place
 */
function isLeft(rest: string): boolean {
  const [, pid] = /^(\d{1,10})-[A-Za-z0-9]{6}$/.exec(rest) ?? []
  return pid !== undefined && Number(pid) > 0 && !isAlive(Number(pid))
}

async function removeOwn(path: string): Promise<void> {
  const found = await lstat(path)
  // Windows has no ids of users, and a folder for temporary files for each of them.
  const isOwn = process.getuid === undefined || found.uid === process.getuid()
  if (isOwn && found.isDirectory()) await rm(path, { recursive: true, force: true })
}

/**
 * Where process ids mean the same: this machine and, on Linux, the container. Those that share nothing but a folder
 * must not take each other's processes for dead.
 */
async function placeOfProcess(): Promise<string> {
  const space = await readlink('/proc/self/ns/pid').catch(() => '')
  return hash('sha256', `${hostname()} ${space}`).slice(0, 12)
}
