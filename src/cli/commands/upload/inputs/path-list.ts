import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { errorCodeOf, reasonOf } from '../../../../system/system-errors.ts'
import { CliError, usageError } from '../../../failures/cli-error.ts'
import { listLimit, readAll } from '../../../input/stdin-text.ts'

export interface PathListOptions {
  readonly nul: boolean
}

/**
 * Reads the list of `--files-from`.
 * @param from a file, or `-` for standard input
 * @throws CliError of code `usage` if it cannot be read, or is too large
 */
export async function readPathList(
  from: string,
  options: PathListOptions & { readonly stdin: Readable; readonly stopping: AbortSignal },
): Promise<readonly string[]> {
  const { stdin, stopping } = options
  return parsePathList(
    from === '-' ? await readAll(stdin, stopping, listLimit) : await readList(from, stopping),
    options,
  )
}

async function readList(file: string, signal: AbortSignal): Promise<Buffer> {
  try {
    return await readAll(createReadStream(file), signal, listLimit)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof CliError) throw error
    const words = { ENOENT: 'does not exist', EISDIR: 'is a folder' }[String(errorCodeOf(error))]
    const what = words ?? `cannot be read: ${reasonOf(error)}`
    throw usageError(`--files-from: ${file || '""'} ${what}`, 'Name a file of paths, or - for standard input')
  }
}

/**
 * Splits a list into paths: one per line (LF or CRLF), or NUL after each. Empty paths are left out.
 * @throws CliError of code `usage` if the text is not such a list
 */
export function parsePathList(bytes: Uint8Array, { nul }: PathListOptions): readonly string[] {
  const text = decode(bytes)
  if (!nul && text.includes('\0')) {
    throw usageError('--files-from: the list contains NUL characters', 'Add -0 if its paths end with NUL')
  }
  return text.split(nul ? '\0' : /\r?\n/).filter((path) => path !== '')
}

/** Reads UTF-8, or the UTF-16 that Windows PowerShell writes, without a byte order mark. */
function decode(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw usageError('--files-from: the list is not UTF-8 text', 'Write it as UTF-8')
  }
}
