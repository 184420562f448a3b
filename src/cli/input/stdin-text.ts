import { addAbortSignal, type Readable } from 'node:stream'
import { usageError } from '../failures/cli-error.ts'

/** For lists of uploads and of paths. */
export const listLimit = { bytes: 64 * 1_048_576, error: 'The list is larger than 64 MB' }

/**
 * The text of a list: UTF-8, or the UTF-16 that Windows PowerShell writes; without a byte order mark.
 * @param place names the list in messages
 * @throws CliError of code `usage` if it is neither
 */
export function listText(bytes: Uint8Array, place: string): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw usageError(`${place}: the list is not UTF-8 text`)
  }
}

/**
 * Reads a stream to its end, or to a limit: a pipe may never end.
 * @param limit with the message for what is longer
 * @throws AbortError once `stopping` aborts: a pipe may stay open for ever; CliError of code `usage` if there is more than
 * the limit
 */
export async function readAll(stream: Readable, stopping: AbortSignal, limit: typeof listLimit): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of addAbortSignal(stopping, stream)) {
    chunks.push(chunk)
    length += chunk.length
    if (length > limit.bytes) throw usageError(limit.error)
  }
  return Buffer.concat(chunks)
}
