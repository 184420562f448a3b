import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { usageError } from '../cli-error.ts'

/** Standard input as a file: it has an exact size, and can be sent a second time. */
export interface StdinFile extends AsyncDisposable {
  readonly path: string
}

/** Copies standard input to a file only this user can read; disposing removes it. */
export async function spoolStdin(stdin: Readable, name: string, signal: AbortSignal): Promise<StdinFile> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-stdin-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const path = join(folder, name)
  try {
    await pipeline(stdin, createWriteStream(path, { mode: 0o600, flags: 'wx' }), { signal })
  } catch (error) {
    await remove()
    throw error
  }
  return { path, [Symbol.asyncDispose]: remove }
}

/**
 * A name the service can show and this machine can store.
 * @throws CliError of code `usage`
 */
export function checkFileName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what is refused
  const plain = /^[^/\\\u0000-\u001f\u007f]+$/.test(name) && !/^\.{1,2}$/.test(name)
  if (plain && Buffer.byteLength(name) <= 255) return name
  throw usageError(`--name: ${JSON.stringify(name)} is not the name of a file`, 'Give a plain name, such as photo.jpg')
}
