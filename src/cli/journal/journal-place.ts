import { join } from 'node:path'
import { stateFolder } from '../../index.ts'
import { usageError } from '../cli-error.ts'
import type { Environment } from '../settings/settings.ts'
import { looksLikeJournal } from './journal-facts.ts'
import { type JournalFile, openJournalFile } from './journal-file.ts'

/** Where the journal is unless another place is named. */
export function journalPath(env: Environment): string {
  return join(stateFolder(env), 'uploads.journal')
}

/**
 * Opens the file of a journal, which is for its owner's eyes only.
 * @throws CliError of code `usage` where it is a file of another kind; the system's error where it cannot be read
 */
export function openJournalAt(path: string, options: { readonly makeFolder: boolean }): JournalFile {
  const file = openJournalFile(path, options)
  if (looksLikeJournal(file.read())) return file
  throw usageError(`${path} is not a journal of fh`, 'Name a file that is empty or not there yet')
}
