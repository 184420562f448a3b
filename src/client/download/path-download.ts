import { lstat, stat } from 'node:fs/promises'
import { takeLock } from '../../system/file-lock.ts'
import { orAborted } from '../../system/signals.ts'
import { fileExists, foreign, orUnwritable } from './own-file.ts'
import { openPartFile, type PathDownload } from './part-file.ts'

const [LOOK_AGAIN_MS, WORTH_SAYING_MS] = [100, 1_000]

/**
 * Downloads to a file: in a part beside it under a lock, which is renamed when it is whole.
 *
 * @returns false if the file was there already, as far as its size tells, or came from another process meanwhile
 * @throws DownloadError if another file is there, or the part cannot be written; every error of `fetch`
 */
export async function downloadToPath(path: string, options: PathDownload): Promise<boolean> {
  const { size, force, ownPath = path, signal, givingUp = new AbortController().signal } = options
  // A disk that hangs must not keep an abort from ending the download.
  const isDone = () => orAborted(isThere(path, size, force), signal)
  if (await isDone()) return false
  using _lock = await lockPart(`${ownPath}.part.lock`, options)
  // Another process may have finished it meanwhile.
  if (await isDone()) return false
  await using part = await orAborted(openPartFile(path, options), signal)
  await options.fetch(part)
  await orAborted(part.finish(), givingUp)
  return true
}

/** Waits as long as another download, of any process, writes to the part. */
async function lockPart(path: string, { clock, signal, onHeld }: PathDownload): Promise<Disposable> {
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const lock = await orUnwritable(path, (async () => takeLock(path))())
    if (lock) return { [Symbol.dispose]: () => lock.release() }
    if (waitedMs === WORTH_SAYING_MS) onHeld?.(path)
    await clock.sleep(LOOK_AGAIN_MS, signal)
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
