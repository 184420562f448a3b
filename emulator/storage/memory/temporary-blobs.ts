import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlobStore, type BlobWriter, discardingOnFailure } from '../blob-store.ts'
import { bufferBytes, createPrivateFile, writeAll } from '../folder/private-file.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

/** Bytes read from a file at a time. */
const readBytes = 262_144

/** The bytes, or the path of a file with them. */
type Blob = Buffer | string

/**
 * Blobs that exist only for this process: small ones in memory, so that most tests use no disk, large ones in files of
 * a private temporary folder.
 */
export function createTemporaryBlobs(): BlobStore {
  const blobs = new Map<string, Blob>()
  const folder = createTemporaryFolder('filehost-emulator')

  const found = (id: string): Blob => {
    const blob = blobs.get(id)
    if (blob === undefined) throw new Error(`There is no blob ${id}`)
    return blob
  }

  return {
    create: () =>
      discardingOnFailure(createWriter({ folder: folder.path, publish: (id, blob) => blobs.set(id, blob) })),
    async *read(id, range) {
      const blob = found(id)
      if (typeof blob === 'string') yield* createReadStream(blob, { ...range, highWaterMark: readBytes })
      else yield range === undefined ? blob : blob.subarray(range.start, range.end + 1)
    },
    async path(id) {
      const blob = found(id)
      if (typeof blob === 'string') return blob
      const path = join(await folder.path(), id)
      await writeFile(path, blob, { mode: 0o600 })
      // The blob may have been removed meanwhile.
      if (blobs.has(id)) blobs.set(id, path)
      else await rm(path, { force: true })
      return path
    },
    async remove(id) {
      const blob = blobs.get(id)
      blobs.delete(id)
      if (typeof blob === 'string') await rm(blob, { force: true })
    },
    async close() {
      blobs.clear()
      await folder.remove()
    },
  }
}

interface WriterContext {
  folder(): Promise<string>
  publish(id: string, blob: Blob): void
}

function createWriter({ folder, publish }: WriterContext): BlobWriter {
  const id = randomBytes(16).toString('hex')
  let held: Uint8Array[] = []
  let heldBytes = 0
  let file: OpenFile | undefined

  const flush = async () => {
    file ??= await openFile(join(await folder(), id))
    const chunks = held
    held = []
    heldBytes = 0
    await writeAll(file.handle, chunks)
  }

  const complete = async () => {
    if (file !== undefined) await flush()
    await file?.handle.close()
    publish(id, file?.path ?? Buffer.concat(held))
    file = undefined
    held = []
  }

  const discard = async () => {
    const written = file
    file = undefined
    held = []
    if (written === undefined) return
    // A full disk may fail only at the close; the file is removed all the same.
    await written.handle.close().catch(() => {})
    await rm(written.path, { force: true })
  }

  return {
    id,
    async write(chunk) {
      held.push(chunk)
      heldBytes += chunk.length
      if (heldBytes > bufferBytes) await flush()
    },
    commit: complete,
    discard,
  }
}

interface OpenFile {
  readonly path: string
  readonly handle: FileHandle
}

async function openFile(path: string): Promise<OpenFile> {
  return { path, handle: await createPrivateFile(path) }
}
