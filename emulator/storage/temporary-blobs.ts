import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobStore, BlobWriter } from './blob-store.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

/** Files up to this size stay in memory, so that most tests never touch the disk; larger ones are written in such pieces. */
const inMemoryBytes = 1_048_576

/** A blob's bytes, or the path of the file that has them. */
type Blob = Buffer | string

/** Blobs for as long as the process: small ones in memory, large ones as files of a private temporary folder. */
export function createTemporaryBlobs(): BlobStore {
  const blobs = new Map<string, Blob>()
  const folder = createTemporaryFolder('filehost-emulator-')

  return {
    create: () => createWriter({ folder: folder.path, publish: (id, blob) => blobs.set(id, blob) }),
    async *read(id) {
      const blob = blobs.get(id)
      if (blob === undefined) throw new Error(`There is no blob ${id}`)
      if (typeof blob === 'string') yield* createReadStream(blob)
      else yield blob
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

  return {
    id,
    async write(chunk) {
      held.push(chunk)
      heldBytes += chunk.length
      if (heldBytes > inMemoryBytes) await flush()
    },
    async commit() {
      if (file !== undefined) await flush()
      await file?.handle.close()
      publish(id, file?.path ?? Buffer.concat(held))
      file = undefined
      held = []
    },
    async discard() {
      const written = file
      file = undefined
      held = []
      if (written === undefined) return
      await written.handle.close()
      await rm(written.path, { force: true })
    },
  }
}

interface OpenFile {
  readonly path: string
  readonly handle: FileHandle
}

async function openFile(path: string): Promise<OpenFile> {
  return { path, handle: await open(path, 'wx', 0o600) }
}

/** Gathered into one call of the system, which is what makes it fast. */
async function writeAll(handle: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const { bytesWritten } = await handle.writev([...chunks])
  if (bytesWritten < total) throw new Error(`Only ${bytesWritten} of ${total} bytes could be written`)
}
