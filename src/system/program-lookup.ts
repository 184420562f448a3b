import { existsSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Environment } from './environment.ts'
import { errorCodeOf } from './system-errors.ts'

/**
 * Whether a program did not start because it does not exist, by the rules of bash. The system says "permission denied"
 * too if no folder of PATH has the program, but one cannot be entered or has a folder of that name.
 */
export function isNotFound(error: unknown, program: string, { PATH }: Environment): boolean {
  const code = errorCodeOf(error)
  const isSearchedFor = process.platform !== 'win32' && !program.includes('/')
  // Without PATH the system searches folders of its own choice, so its answer counts.
  if (code !== 'EACCES' || !isSearchedFor || PATH === undefined) return code === 'ENOENT'
  // An empty entry means the working folder: `join` then returns the name alone.
  const paths = PATH.split(delimiter).map((folder) => join(folder, program))
  return !paths.some((path) => existsSync(path) && !statSync(path).isDirectory())
}
