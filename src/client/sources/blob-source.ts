import { sniffLengthBytes } from '../../protocol/media-types.ts'
import type { OpenSource } from './open-source.ts'

/** Bytes in memory are sent in pieces, so that progress and a break in the middle show. */
const SLICE_BYTES = 262_144

/** Opens bytes in memory for upload; a File's name is the file name. */
export async function openBlobSource(blob: Blob): Promise<OpenSource> {
  const name = 'name' in blob && typeof blob.name === 'string' && blob.name !== '' ? blob.name : undefined
  const head = new Uint8Array(await blob.slice(0, sniffLengthBytes).arrayBuffer())
  async function* read() {
    for (let at = 0; at < blob.size; at += SLICE_BYTES) {
      yield new Uint8Array(await blob.slice(at, at + SLICE_BYTES).arrayBuffer())
    }
  }
  return { name, size: blob.size, head, replayable: true, read, close() {} }
}
