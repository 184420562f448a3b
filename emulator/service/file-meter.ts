import { createHash } from 'node:crypto'
import type { ReceivedFile } from './file-rules.ts'

/** What is known of a file from its bytes alone. */
export type MeasuredFile = Pick<ReceivedFile, 'name' | 'sizeBytes' | 'sha256'>

/** Counts and hashes a file. */
export function createFileMeter(name: string) {
  const hash = createHash('sha256')
  let sizeBytes = 0
  let sha256: string | undefined
  return {
    take(chunk: Uint8Array) {
      sizeBytes += chunk.length
      hash.update(chunk)
    },
    /** Call after the last chunk. */
    measured(): MeasuredFile {
      sha256 ??= hash.digest('hex')
      return { name, sizeBytes, sha256 }
    },
  }
}
