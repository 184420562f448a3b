import { createReadStream } from 'node:fs'
import { errorCodeOf, reasonOf } from '../../../../system/system-errors.ts'
import type { Context } from '../../../context/context.ts'
import { CliError, usageError } from '../../../failures/cli-error.ts'
import { listLimit, listText, readAll } from '../../../input/stdin-text.ts'

/**
 * Reads the list of `--files-from`.
 * @param from a file, or `-` for standard input
 * @param nul whether paths end with NUL instead of a line break (-0)
 * @throws CliError of code `usage` if it cannot be read, or is too large
 */
export async function readPathList(
  from: string,
  nul: boolean,
  { input, interruption }: Pick<Context, 'input' | 'interruption'>,
): Promise<readonly string[]> {
  const { stopping } = interruption
  const bytes = from === '-' ? await readAll(input(), stopping, listLimit) : await readList(from, stopping)
  return parsePathList(bytes, nul)
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
export function parsePathList(bytes: Uint8Array, nul: boolean): readonly string[] {
  const text = listText(bytes, '--files-from')
  if (!nul && text.includes('\0')) {
    throw usageError('--files-from: the list contains NUL characters', 'Add -0 if its paths end with NUL')
  }
  return text.split(nul ? '\0' : /\r?\n/).filter((path) => path !== '')
}
