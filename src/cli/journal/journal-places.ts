import { join } from 'node:path'
import type { Environment } from '../../system/environment.ts'
import { stateFolder } from '../../system/private-folder.ts'

/** The journal that `fh upload` keeps unless the user names another. */
export function usualJournal(env: Environment): string {
  return join(stateFolder(env), 'uploads.journal')
}

/** The record is in the folder of its journal. */
export function recordOf(journal: string): string {
  return `${journal.replace(/\.journal$/, '')}.record`
}
