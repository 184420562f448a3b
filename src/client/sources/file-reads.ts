import { readSync } from 'node:fs'
import { steadyMs, systemClock } from '../../clock.ts'
import { fileSystemOf, readInto } from '../../system/file-calls.ts'

/** Of memory that is the reader's for good, larger chunks are no faster. */
const OWN_BYTES = 262_144
/** Of memory that is used again: of larger chunks a slow connection takes a part so seldom that nothing seems to move. */
const LENT_BYTES = 524_288
/** Of a connection that is fast: smaller chunks cost system calls and turns of the event loop. */
const FAST_BYTES = 2_097_152
/** A chunk that takes longer is followed by a smaller one, so that progress shows, read by another thread. */
const SLOW_MS = 100
/** More than the systems of both sides hold back: once so much has left without a pause, the connection itself is fast. */
const PROVEN_BYTES = 16_777_216

/**
 * Reads a file chunk by chunk.
 * @param isLent whether every chunk has the memory of the one before
 * @returns reads from a place in the file, once what was read before is no longer needed; empty behind the file's end
 */
export async function createFileReads(file: number, path: string, size: number, isLent: boolean) {
  const lent = isLent ? Buffer.allocUnsafe(Math.min(FAST_BYTES, size)) : undefined
  const isNear = isLent && size > OWN_BYTES && (await isOnThisMachine(path))
  let askedAt = Number.NEGATIVE_INFINITY
  let fastFrom = 0
  return async (at: number): Promise<Uint8Array> => {
    const now = steadyMs(systemClock)
    const isFast = isLent && now - askedAt < SLOW_MS
    askedAt = now
    if (!isFast) fastFrom = at
    const fastBytes = at - fastFrom < PROVEN_BYTES ? LENT_BYTES : FAST_BYTES
    const length = Math.min(isFast ? fastBytes : OWN_BYTES, size - at)
    const chunk = lent ?? Buffer.allocUnsafe(length)
    const bytesRead =
      isFast && isNear ? readSync(file, chunk, 0, length, at) : (await readInto(file, chunk, 0, length, at)).bytesRead
    return chunk.subarray(0, bytesRead)
  }
}

/** Kinds of file system on a disk or in memory: ext4, XFS, Btrfs, F2FS, ZFS, tmpfs and overlay in Linux's statfs(2). */
const kindsNearby = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630])

/** Whether no read waits for another machine: then handing it to another thread costs as much as the read. */
async function isOnThisMachine(path: string): Promise<boolean> {
  const { type } = await fileSystemOf(path).catch(() => ({ type: undefined }))
  return type !== undefined && kindsNearby.has(type)
}
