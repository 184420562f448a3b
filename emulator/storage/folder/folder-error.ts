import { getSystemErrorMap } from 'node:util'

/** What the system's own words would leave open of a folder. */
const plainReasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is no folder',
  ENOTDIR: 'it, or part of its path, is no folder',
  ENOENT: 'no folder can be made there',
}

/**
 * Why a folder cannot be used, in words: what the system refused is told without the code and the call that Node puts
 * around it, and with the place in the folder where it is not the folder itself.
 */
export function folderTrouble(path: string, error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { errno = 0, path: place = path }: NodeJS.ErrnoException = error
  const known = getSystemErrorMap().get(errno)
  if (known === undefined) return error.message
  const [code, words] = known
  return `${place === path ? '' : `${place}: `}${plainReasons[code] ?? words}; choose another folder, or set that right`
}
