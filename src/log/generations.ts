import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type AppendLog, type AppendLogAccess, openAppendLog } from '../system/append-log.ts'
import { ForeignFileError } from '../system/private-file.ts'
import { expectOwnFolder, makePrivateFolder } from '../system/private-folder.ts'
import { errorCodeOf } from '../system/system-errors.ts'

/** No quota's window remembers a log that was last written this long ago. */
const FORGOTTEN_MS = 3 * 86_400_000

/**
 * The files of one log. When a file has grown too long, a shorter one replaces it; the newest counts.
 * @throws the system's error where the folder cannot be created
 */
export function createGenerations(folder: string) {
  const isNew = makePrivateFolder(folder)
  expectOwnFolder(folder)
  // Creating a folder is rare, so old ones are removed then.
  if (isNew) removeForgotten(dirname(folder), lstatSync(folder).mtimeMs)
  const pathOf = (generation: number) => join(folder, `ledger-${generation}.log`)
  const newest = () => Math.max(0, ...readdirSync(folder).map(generationOf))
  return {
    /** Opens the newest file, creating the first. */
    openNewest(): { readonly generation: number; readonly file: AppendLog } {
      // Another process may replace the file at any time: it must still be the newest once it is open.
      for (let tries = 0; tries < 100; tries += 1) {
        const found = newest()
        const generation = Math.max(found, 1)
        const file = openPublished(folder, generation, found === 0 ? 'create' : 'append')
        if (file !== undefined && newest() === generation && !file.isLost()) return { generation, file }
        file?.close()
      }
      throw new Error(`its files in ${folder} keep changing`)
    },
    /** Creates a file with this content, unless another process already has, and removes its predecessors. */
    publish(generation: number, content: string) {
      const draft = join(folder, `ledger-${generation}.${randomBytes(6).toString('hex')}.tmp`)
      writeFileSync(draft, content, { mode: 0o600, flag: 'wx' })
      try {
        publishDraft(draft, pathOf(generation))
      } finally {
        rmSync(draft, { force: true })
      }
      removeBefore(folder, generation)
    },
  }
}

export type Generations = ReturnType<typeof createGenerations>

/** The lines of the newest file; none where there is no file. Changes nothing. */
export function readNewest(folder: string): readonly string[] {
  expectOwnFolder(folder)
  // Another process may replace the file at any time.
  for (let tries = 0; tries < 100; tries += 1) {
    const generation = Math.max(0, ...namesIn(folder).map(generationOf))
    if (generation === 0) return []
    const file = openIfThere(join(folder, `ledger-${generation}.log`), 'read')
    if (file === undefined) continue
    try {
      return file.all()
    } finally {
      file.close()
    }
  }
  return []
}

function generationOf(name: string): number {
  return Number(/^ledger-(\d+)\.log$/.exec(name)?.[1] ?? 0)
}

/** A file keeps its draft as a second name until the draft is removed; a killed process leaves it behind. */
function openPublished(folder: string, generation: number, access: AppendLogAccess): AppendLog | undefined {
  const path = join(folder, `ledger-${generation}.log`)
  try {
    return openIfThere(path, access)
  } catch (error) {
    if (!(error instanceof ForeignFileError && error.fault === 'second-name')) throw error
    removeBefore(folder, generation)
    return openIfThere(path, access)
  }
}

function openIfThere(path: string, access: AppendLogAccess): AppendLog | undefined {
  try {
    return openAppendLog(path, access)
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Links instead of renaming: a link never replaces a file that another process has published and written to. */
function publishDraft(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST' || lstatSync(path, { throwIfNoEntry: false }) !== undefined) return
    // The file system has no links.
    renameSync(draft, path)
  }
}

/** Removes drafts too: their process was killed, or will find this file in place. */
function removeBefore(folder: string, generation: number): void {
  for (const name of readdirSync(folder)) {
    const [, number] = /^ledger-(\d+)\.(?:log|\w+\.tmp)$/.exec(name) ?? []
    const isDraft = name.endsWith('.tmp')
    const isOld = number !== undefined && (isDraft ? Number(number) <= generation : Number(number) < generation)
    if (isOld) removeQuietly(join(folder, name))
  }
}

function removeForgotten(parent: string, now: number): void {
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name)
    if (/^[0-9a-f]{16}$/.test(name) && now - lastChangeMs(folder) > FORGOTTEN_MS) removeQuietly(folder)
  }
}

function lastChangeMs(folder: string): number {
  const changes = [folder, ...pathsIn(folder)].map((path) => lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return Math.max(...changes)
}

/** None where there is no folder; throws where the folder cannot be read. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** None where the folder has just gone or belongs to another user. */
function pathsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

/** A file that cannot be removed, such as an open one on Windows, is tried again next time. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {}
}
