import type { Readable } from 'node:stream'
import { listLimit, readAll } from '../input/stdin-text.ts'
import { parseUploadName, type UploadName } from './upload-names.ts'

/** The arguments that name uploads. */
export interface SlugArguments {
  /** Slugs or URLs of uploads. */
  readonly uploads: readonly string[]
  /** Whether to read more of them from standard input. */
  readonly fromStdin: boolean
}

/**
 * Reads the uploads listed on standard input, to its end.
 * @throws CliError of code `usage` if one is neither a slug nor a URL, or the list is too large
 */
export async function readListedUploads(stdin: Readable, stopping: AbortSignal): Promise<readonly UploadName[]> {
  return slugLines((await readAll(stdin, stopping, listLimit)).toString()).map(parseUploadName)
}

/** One per line (LF or CRLF); of the lines that `fh list` prints, the part before the tab. */
export function slugLines(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  return lines.map((line) => line.replace(/\t.*$/s, '').trim()).filter((line) => line !== '')
}
