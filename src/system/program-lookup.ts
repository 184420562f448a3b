import { statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { errorCodeOf } from './system-errors.ts'

/**
 * Whether a program was not started because there is none, as bash sees it. The system says "permission denied" also where
 * no folder of PATH has the program, but one may not be entered or has a folder of that name.
 */
export function isNotFound(
  error: unknown,
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const code = errorCodeOf(error)
  return code === 'ENOENT' || (code === 'EACCES' && isSearchedFor(program) && !isInPath(program, env))
}

function isSearchedFor(program: string): boolean {
  return process.platform !== 'win32' && !program.includes('/')
}

function isInPath(program: string, { PATH }: NodeJS.ProcessEnv): boolean {
  // Where PATH is not set the system looks into folders of its own choice: it is taken at its word.
  if (PATH === undefined) return true
  // An empty entry is the working folder: joined to it, the name stands alone.
  return PATH.split(delimiter).some((folder) => isFile(join(folder, program)))
}

/** Also for one that may not be run; false where the folder does not let look. */
function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory()
  } catch {
    return false
  }
}
