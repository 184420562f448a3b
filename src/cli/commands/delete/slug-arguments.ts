import type { Readable } from 'node:stream'
import { usageError } from '../../failures/cli-error.ts'
import { parseUploadName, type UploadName } from '../../input/slug.ts'
import { readAll } from '../../input/stdin-text.ts'

/** The arguments that name uploads. */
export interface SlugArguments {
  /** Slugs or URLs of uploads. */
  readonly uploads: readonly string[]
  /** Whether to read more of them from standard input. */
  readonly fromStdin: boolean
}

/**
 * Reads the uploads named by the arguments and standard input.
 * @throws CliError of code `usage` if there are none, or one is neither a slug nor a URL
 */
export async function readUploadNames(
  { uploads, fromStdin }: SlugArguments,
  stdin: Readable,
  stopping: AbortSignal,
): Promise<readonly UploadName[]> {
  if (uploads.length === 0 && !fromStdin) {
    throw usageError('No uploads given', 'Give slugs or URLs, or --from-stdin for a list of them')
  }
  const listed = fromStdin ? slugLines((await readAll(stdin, stopping)).toString()) : []
  return [...uploads, ...listed].map(parseUploadName)
}

/** One per line (LF or CRLF); of the lines that `fh list` prints, the part before the tab. */
export function slugLines(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  return lines.map((line) => line.replace(/\t.*$/s, '').trim()).filter((line) => line !== '')
}
