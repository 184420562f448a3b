import { randomBytes } from 'node:crypto'
import { type FileHandle, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BlobWriter } from './blob-store.ts'
import { bufferBytes, createPrivateFile, writeAll } from './folder/private-file.ts'
import { syncFolder } from './folder/sync-folder.ts'

export interface BlobFileContext {
  /** Where the file is until the commit. */
  readonly incoming: string
  /** Where it is afterwards, on the same disk. */
  pathOf(id: string): string
}

/** Writes a blob to a file; once committed, its bytes and its name survive a power failure. */
export function createBlobFile({ incoming, pathOf }: BlobFileContext): BlobWriter {
  const id = randomBytes(16).toString('hex')
  const draft = join(incoming, id)
  let gathered: Uint8Array[] = []
  let bytes = 0
  let file: FileHandle | undefined
  let isCommitted = false

  const flush = async (): Promise<FileHandle> => {
    file ??= await createPrivateFile(draft)
    const chunks = gathered
    gathered = []
    bytes = 0
    if (chunks.length > 0) await writeAll(file, chunks)
    return file
  }

  const publish = async () => {
    const written = await flush()
    await written.datasync()
    await written.close()
    file = undefined
    await rename(draft, pathOf(id))
    await syncFolder(dirname(pathOf(id)))
    isCommitted = true
  }

  const discard = async () => {
    gathered = []
    if (isCommitted) return
    const written = file
    file = undefined
    // A full disk may fail only at the close; the file is removed all the same.
    await written?.close().catch(() => {})
    // If only the folder sync failed, the file already has its final name.
    for (const path of [draft, pathOf(id)]) await rm(path, { force: true })
  }

  return {
    id,
    async write(chunk) {
      gathered.push(chunk)
      bytes += chunk.length
      if (bytes >= bufferBytes) await flush()
    },
    commit: publish,
    discard,
  }
}
