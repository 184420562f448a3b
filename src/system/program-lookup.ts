import { statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Environment } from './environment.ts'
import { errorCodeOf } from './system-errors.ts'

/**
 * Whether a program did not start because it does not exist, by the rules of bash. The system says "permission denied"
 * too if no folder of PATH has the program, but one cannot be entered or has a folder of that name.
 */
export function isNotFound(error: unknown, program: string, env: Environment): boolean {
  const code = errorCodeOf(error)
  return code === 'ENOENT' || (code === 'EACCES' && isSearchedFor(program) && !isInPath(program, env))
}

function isSearchedFor(program: string): boolean {
  return process.platform !== 'win32' && !program.includes('/')
}

function isInPath(program: string, { PATH }: NodeJS.ProcessEnv): boolean {
  // Without PATH the system searches folders of its own choice, so its answer counts.
  if (PATH === undefined) return true
  // An empty entry means the working folder: `join` then returns the name alone.
  return PATH.split(delimiter).some((folder) => isFile(join(folder, program)))
}

/** True even for a file that cannot be run; false if its folder cannot be searched. */
function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory()
  } catch {
    return false
  }
}
