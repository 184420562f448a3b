import type { Readable } from 'node:stream'
import { usageError } from '../../failures/cli-error.ts'
import { parseUploadName, type UploadName } from '../../input/slug.ts'
import { readAll } from '../../input/stdin-text.ts'

/** Which uploads a command is about. */
export interface SlugArguments {
  /** Slugs or URLs of uploads. */
  readonly uploads: readonly string[]
  /** Whether standard input names more of them. */
  readonly fromStdin: boolean
}

/**
 * The uploads that are named.
 * @throws CliError of code `usage` where something is neither slug nor URL, or nothing is named
 */
export async function readUploadNames(
  { uploads, fromStdin }: SlugArguments,
  stdin: Readable,
  stopping: AbortSignal,
): Promise<readonly UploadName[]> {
  if (uploads.length === 0 && !fromStdin) {
    throw usageError('No upload was named', 'Give slugs or URLs, or --from-stdin for a list of them')
  }
  const listed = fromStdin ? slugLines((await readAll(stdin, stopping)).toString()) : []
  return [...uploads, ...listed].map(parseUploadName)
}

/** One a line, whichever way lines end; of lines as `fh list` prints them, what stands before the tab. */
export function slugLines(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  return lines.map((line) => line.replace(/\t.*$/s, '').trim()).filter((line) => line !== '')
}
