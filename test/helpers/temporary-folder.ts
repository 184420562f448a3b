import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'

/** Linux's file system in memory. */
const inMemory = '/dev/shm'
/** Containers have 64 MiB of it, which is too little. */
const enoughBytes = 2 ** 30

/**
 * Where tests put their folders: in memory where there is enough of it, since a new data folder, with its 256 folders
 * and its syncs, takes a quarter of a second on a disk and a twentieth in memory.
 */
export const temporaryPlace = isUsable() ? inMemory : tmpdir()

function isUsable(): boolean {
  // By hand, a person chooses another place.
  if (process.env['TMPDIR'] !== undefined || process.platform !== 'linux') return false
  try {
    accessSync(inMemory, constants.W_OK)
    const { bavail, bsize } = statfsSync(inMemory)
    // Some tests start programs that they have written.
    const isExecutable = !/^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m.test(readFileSync('/proc/self/mounts', 'utf8'))
    return isExecutable && bavail * bsize >= enoughBytes
  } catch {
    return false
  }
}

/** Makes an empty folder, which is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(temporaryPlace, 'fh-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** An empty folder that is the place for temporary files of this process until the test ends. */
export function temporaryFilesHere(): string {
  const folder = temporaryFolder()
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  return folder
}

/** The paths of all files in a folder and below it. */
export function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.map(({ parentPath, name }) => join(parentPath, name))
}
