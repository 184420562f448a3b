import { sniffLengthBytes } from '../../protocol/media-types.ts'
import { blobBytes, blobChunks } from '../../system/blob-bytes.ts'
import type { OpenSource } from './open-source.ts'

/** Opens a Blob of any environment for upload; a File's name is the file name. */
export async function openBlobSource(blob: Blob): Promise<OpenSource> {
  const name = 'name' in blob && typeof blob.name === 'string' && blob.name !== '' ? blob.name : undefined
  const head = await blobBytes(blob.slice(0, sniffLengthBytes))
  return { name, size: blob.size, head, replayable: true, read: () => blobChunks(blob), close() {} }
}
