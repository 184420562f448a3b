import { lstat, rm, stat } from 'node:fs/promises'
import { openLock, StoreError } from '../../store/sqlite.ts'
import { orAborted } from '../../system/signals.ts'
import { fileExists, foreign, inUse } from './own-file.ts'
import { openPartFile, type PathDownload } from './part-file.ts'

/**
 * Downloads to a file: in a part beside it under a lock, which is renamed when it is whole.
 *
 * @returns false if the file was there already, as far as its size tells
 * @throws DownloadError if another file is there, another run downloads to it, or the part cannot be written; every error of
 * `fetch`
 */
export async function downloadToPath(path: string, options: PathDownload): Promise<boolean> {
  const { size, force, ownPath = path, signal, givingUp = new AbortController().signal } = options
  // A disk that hangs must not keep an abort from ending the download.
  const isDone = () => orAborted(isThere(path, size, force), signal)
  if (await isDone()) return false
  await using _lock = lockPart(ownPath)
  // Another process may have finished it meanwhile.
  if (await isDone()) return false
  await using part = await orAborted(openPartFile(path, options), signal)
  await options.fetch(part)
  await orAborted(part.finish(), givingUp)
  return true
}

/** Two runs that wrote to one part would mix two files. @throws DownloadError where another download has the part */
function lockPart(path: string): AsyncDisposable {
  const name = `${path}.part.lock`
  try {
    const lock = openLock(name)
    return {
      async [Symbol.asyncDispose]() {
        lock.close()
        await rm(name, { force: true }).catch(() => {})
      },
    }
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'busy') throw inUse(path)
    // Some network disks have no locks; what else is wrong with the folder, opening the part says.
    return { async [Symbol.asyncDispose]() {} }
  }
}

/**
 * Whether a file of this size has the path, and is not to be replaced.
 * @throws DownloadError if another file has it, or something that cannot be replaced: a device, a pipe, a folder
 */
export async function isThere(path: string, size: number, force = false): Promise<boolean> {
  const named = await lstat(path).catch(() => undefined)
  if (named === undefined) return false
  if (force && !named.isFile() && !named.isSymbolicLink()) throw foreign(path, 'it is not a file')
  if (force) return false
  const existing = await stat(path).catch(() => undefined)
  if (existing?.isFile() && existing.size === size) return true
  throw fileExists(path)
}
