import { open } from 'node:fs/promises'

/**
 * Reads a file that the user named, following links: a regular file or a pipe.
 * @throws Error if it is something else or larger than `mostBytes`
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
