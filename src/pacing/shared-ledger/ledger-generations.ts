import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ForeignFileError } from '../../system/private-file.ts'
import { expectOwnFolder, makePrivateFolder } from '../../system/private-folder.ts'
import { type LedgerFile, type LedgerFileAccess, openLedgerFile } from './ledger-file.ts'

/** The files of one ledger: each is made out of the one before it when that has grown too long; the newest counts. */
export interface LedgerGenerations {
  /** Opens the newest file; makes the first. */
  openNewest(): { readonly generation: number; readonly file: LedgerFile }
  /** Makes a file with this content, unless another process was faster; what came before it is removed. */
  publish(generation: number, content: string): void
}

/** A ledger nobody wrote to for this long says nothing about any window any more. */
const FORGOTTEN_MS = 3 * 86_400_000

/** @throws the system's error where the folder cannot be made */
export function createLedgerGenerations(folder: string): LedgerGenerations {
  const isNew = makePrivateFolder(folder)
  expectOwnFolder(folder)
  // A new one is rare, so that is when old ones are looked for.
  if (isNew) removeForgotten(dirname(folder), lstatSync(folder).mtimeMs)
  const pathOf = (generation: number) => join(folder, `ledger-${generation}.log`)
  const newest = () => Math.max(0, ...readdirSync(folder).map(generationOf))
  return {
    openNewest() {
      // Files may come and go between any two steps; only one that is still the newest when it is open is the right one.
      for (let tries = 0; tries < 100; tries += 1) {
        const found = newest()
        const generation = Math.max(found, 1)
        const file = openPublished(folder, generation, found === 0 ? 'create' : 'append')
        if (file !== undefined && newest() === generation && !file.isLost()) return { generation, file }
        file?.close()
      }
      throw new Error(`its files in ${folder} keep changing`)
    },
    publish(generation, content) {
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

/** The lines of the newest file as it is now; none where there is no file. Changes nothing. */
export function readNewestLines(folder: string): readonly string[] {
  expectOwnFolder(folder)
  // It may be replaced by a newer one between any two steps.
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

/** A file has the name of its draft too until that is removed, and longer where the process that made it was killed. */
function openPublished(folder: string, generation: number, access: LedgerFileAccess): LedgerFile | undefined {
  const path = join(folder, `ledger-${generation}.log`)
  try {
    return openIfThere(path, access)
  } catch (error) {
    if (!(error instanceof ForeignFileError && error.fault === 'second-name')) throw error
    removeBefore(folder, generation)
    return openIfThere(path, access)
  }
}

function openIfThere(path: string, access: LedgerFileAccess): LedgerFile | undefined {
  try {
    return openLedgerFile(path, access)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** A link, other than a rename, never replaces a file that another process has made and written to since. */
function publishDraft(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    if (hasCode(error, 'EEXIST') || lstatSync(path, { throwIfNoEntry: false }) !== undefined) return
    // Some file systems have no links.
    renameSync(draft, path)
  }
}

/** Drafts too: whoever was making one was killed, or will find that this file is there. */
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

/** None where there is no folder; one that cannot be read is another thing than an empty one. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/** Of a folder that was there a moment ago; one that cannot be read is somebody else's. */
function pathsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}

/** What cannot be removed, as an open file on Windows, is found again next time. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {}
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
