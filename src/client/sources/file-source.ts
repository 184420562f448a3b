import type { BigIntStats } from 'node:fs'
import { basename } from 'node:path'
import { quoted } from '../../checks/words.ts'
import { steadyMs, systemClock } from '../../clock.ts'
import { sniffLengthBytes } from '../../protocol/media-types.ts'
import { closeFile, openWithoutWaiting, readInto, statOfOpen } from '../../system/file-calls.ts'
import { SourceError, type SourceProblem } from '../errors.ts'

/** A source that can be read and has not been checked. */
export interface OpenSource {
  /** For messages and as the file name; undefined for bytes without a name. */
  readonly name: string | undefined
  /** In bytes; undefined for a stream of unknown size. */
  readonly size: number | undefined
  /** The first bytes, up to `sniffLengthBytes`. */
  readonly head: Uint8Array
  /** Whether it can be read more than once, and from where. */
  readonly again: 'at hand' | 'from its site' | 'never'
  /**
   * All bytes from the start; opens nothing before the first chunk is read.
   * @throws SourceError at once for a stream that has been read, during the iteration if the file has changed
   */
  read(): AsyncIterable<Uint8Array>
  /** Closes a stream that is not read, or not to its end. */
  close(): void
}

/** A file name that is no path, and has no control characters; empty if nothing is left. */
export function plainName(name: string): string {
  const base = name.replace(/^.*[/\\]/s, '')
  // V8 takes half a millisecond to find out what is in \p{Cc}.
  const plain = /^[ -~]+$/.test(base) ? base : base.replace(/\p{Cc}/gu, '_')
  return /^\.+$/.test(plain) ? '' : plain
}

/** Opens a file for upload. Every `read` opens it again and checks that it is unchanged, so that no mixture is ever sent. */
export async function openFileSource(path: string): Promise<OpenSource> {
  let file: number | undefined
  try {
    file = await openWithoutWaiting(path)
    const stats = await statOfOpen(file, { bigint: true })
    if (stats.isDirectory()) throw new SourceError('directory', `${path} is a folder, not a file`)
    if (!stats.isFile()) {
      throw new SourceError('unreadable', `${path} is not a regular file`, {
        hint: 'Pipe it in or copy it to a file first',
      })
    }
    const size = Number(stats.size)
    const head = Buffer.alloc(Math.min(sniffLengthBytes, size))
    const { bytesRead } = await readInto(file, head, 0, head.length, 0)
    const read = () => readFile(path, stats)
    return { name: basename(path), size, head: head.subarray(0, bytesRead), again: 'at hand', read, close() {} }
  } catch (error) {
    throw toSourceError(path, error)
  } finally {
    if (file !== undefined) await closeFile(file)
  }
}

/** Of fresh memory, larger chunks are no faster; of a slow connection, progress shows when a chunk has left. */
const CHUNK_BYTES = 262_144
/** Of memory that is used again, while a chunk takes at most {@link SLOW_MS}: larger ones are no faster. */
const FAST_BYTES = 2_097_152
const SLOW_MS = 100

/** Chunks that are not needed any more. */
const released = new WeakSet<Uint8Array>()

/**
 * Says that nothing needs a chunk any more, so that a file may be read on into its memory: fresh memory takes a third more
 * time and twice as much of it. Only who has written the chunk to a connection, which then drained, can say so.
 */
export function release(chunk: Uint8Array): void {
  released.add(chunk)
}

async function* readFile(path: string, expected: BigIntStats): AsyncGenerator<Uint8Array> {
  let file: number | undefined
  try {
    file = await openWithoutWaiting(path)
    await assertUnchanged(path, file, expected)
    const size = Number(expected.size)
    let memory = Buffer.allocUnsafe(Math.min(FAST_BYTES, size))
    let [isFree, isFast] = [true, false]
    for (let at = 0; at < size; ) {
      const askedAt = steadyMs(systemClock)
      const length = Math.min(isFast ? FAST_BYTES : CHUNK_BYTES, size - at)
      if (!isFree || memory.length < length) memory = Buffer.allocUnsafe(length)
      const { bytesRead } = await readInto(file, memory, 0, length, at)
      if (bytesRead === 0) throw changed(path)
      at += bytesRead
      // Checked before the last bytes leave: the service never stores a body without them.
      if (at === size) await assertUnchanged(path, file, expected)
      const chunk = memory.subarray(0, bytesRead)
      yield chunk
      isFree = released.has(chunk)
      isFast = isFree && steadyMs(systemClock) - askedAt <= SLOW_MS
    }
  } catch (error) {
    throw toSourceError(path, error)
  } finally {
    if (file !== undefined) await closeFile(file)
  }
}

async function assertUnchanged(path: string, file: number, expected: BigIntStats): Promise<void> {
  const { size, mtimeNs, ino } = await statOfOpen(file, { bigint: true })
  if (size !== expected.size || mtimeNs !== expected.mtimeNs || ino !== expected.ino) throw changed(path)
}

function changed(path: string): SourceError {
  return new SourceError('changed', `${path} was changed while it was being uploaded, so nothing was stored`, {
    hint: 'Upload it again once it is complete',
  })
}

const problems: Readonly<Record<string, readonly [SourceProblem, string]>> = {
  ENOENT: ['missing', 'does not exist'],
  ENOTDIR: ['missing', 'does not exist: a part of the path is not a folder'],
  EISDIR: ['directory', 'is a folder, not a file'],
  EACCES: ['unreadable', 'cannot be read: permission denied'],
  EPERM: ['unreadable', 'cannot be read: permission denied'],
  ELOOP: ['unreadable', 'cannot be read: its symbolic links go round in circles'],
  ENAMETOOLONG: ['missing', 'does not exist: it is too long for a path'],
  EMFILE: ['unreadable', 'cannot be read: too many files are open'],
}

/** The error of a file in plain words. */
export function toSourceError(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error) || error instanceof SourceError) return error
  const [problem, words] = problems[String(error.code)] ?? ['unreadable', `cannot be read: ${error.message}`]
  // Node replaces bytes that are not UTF-8 by this character, and then looks for a file of that name.
  const hint =
    problem === 'missing' && path.includes('\uFFFD') ? 'If it is there, its name is not UTF-8: rename it' : null
  // What is too long is probably the content.
  const label = path.length > 1_000 ? quoted(path) : path
  return new SourceError(problem, `${label} ${words}`, { cause: error, ...(hint !== null && { hint }) })
}
