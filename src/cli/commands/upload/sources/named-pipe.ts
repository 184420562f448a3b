import { closeSync, constants, createReadStream, open, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { basename, extname } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { toSourceError } from '../../../../internal.ts'
import { isBun } from '../../../../system/runtime.ts'

/** The name for the content of a pipe; empty without an extension, as of `<(command)` in a shell: its type names it. */
export function pipeName(path: string): string {
  return extname(path) === '' ? '' : basename(path)
}

const { O_RDONLY, O_RDWR, O_NONBLOCK = 0 } = constants
const openFile = promisify(open)

/**
 * Opens a named pipe. Its bytes come once a program writes into it; until then no thread waits, on Linux.
 * @throws SourceError if it cannot be opened, `signal.reason` when aborted before
 */
export async function openPipe(path: string, signal: AbortSignal, platform = process.platform): Promise<Readable> {
  signal.throwIfAborted()
  try {
    const waits = platform === 'linux' && !isBun
    const fd = waits ? await openFile(path, O_RDONLY | O_NONBLOCK) : await openWithWriter(path, signal)
    // Bun 1.4 makes no socket of a pipe.
    if (isBun) return createReadStream(path, { fd })
    // Reads when there is something to read: a read of the file would hold a thread.
    return new Socket({ fd, readable: true, writable: false })
  } catch (error) {
    throw toSourceError(path, error)
  }
}

/**
 * On macOS a pipe without a writer reads as one that has ended, so the opening has to wait for the writer, and holds a
 * thread. To abort it, this process becomes the writer, without the help of a thread: all may be held.
 */
async function openWithWriter(path: string, signal: AbortSignal): Promise<number> {
  const opening = openFile(path, O_RDONLY)
  const release = () => {
    try {
      const other = openSync(path, O_RDWR | O_NONBLOCK)
      const leave = () => closeSync(other)
      opening.then(leave, leave)
    } catch {
      // Removed meanwhile: the opening ends with its process.
    }
  }
  signal.addEventListener('abort', release, { once: true })
  try {
    return await opening
  } finally {
    signal.removeEventListener('abort', release)
  }
}
