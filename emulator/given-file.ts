import { open } from 'node:fs/promises'

/**
 * The bytes of a file that was named at the start: a regular file or a pipe, links followed, as its owner meant it.
 * @throws Error where it is something else, or larger than such a file ever is
 */
export async function readGivenFile(path: string, mostBytes: number): Promise<string> {
  await using file = await open(path)
  const found = await file.stat()
  if (found.isDirectory()) throw new Error('it is a folder')
  if (!found.isFile() && !found.isFIFO()) throw new Error('it is neither a regular file nor a pipe')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of file.createReadStream({ autoClose: false })) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
