import { join } from 'node:path'
import { stateFolder } from '../../system/state-folder.ts'

/** The journal that `fh upload` keeps unless the user names another. */
export function usualJournal(env: Readonly<Record<string, string | undefined>>): string {
  return join(stateFolder(env), 'uploads.journal')
}

/** The record is in the folder of its journal. */
export function recordOf(journal: string): string {
  return `${journal.replace(/\.journal$/, '')}.record`
}
