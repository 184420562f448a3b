import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** Large reads keep the number of hops small; larger ones than this no longer pay. */
const CHUNK_BYTES = 1_048_576

/** The SHA-256 of a file's content; rejects as the file system does, and with an AbortError. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES, signal })) hash.update(chunk)
  return hash.digest('hex')
}
