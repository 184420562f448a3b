import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivateFile } from '../../system/private-file.ts'
import { stateFolder } from '../../system/state-folder.ts'
import type { Environment } from '../config/settings.ts'
import { usageError } from '../failures/cli-error.ts'
import { looksLikeJournal, parseLines, toLine } from './journal-facts.ts'
import { type JournalFile, openJournalFile } from './journal-file.ts'

/** Where the journal is unless another place is named. */
export function journalPath(env: Environment): string {
  return join(stateFolder(env), 'uploads.journal')
}

/**
 * Opens the file that was named for a journal, which is for its owner's eyes only.
 * @throws CliError of code `usage` where it is a file of another kind; the system's error where it cannot be read
 */
export function openNamedJournal(path: string): JournalFile {
  const file = openJournalFile(path, { makeFolder: false })
  if (looksLikeJournal(file.read())) return file
  throw usageError(
    `${path} is not a journal of fh`,
    'Name a file that is empty or not there yet; a journal that is damaged has to be moved away',
  )
}

/** Why a journal was replaced. */
export interface JournalDamage {
  /** Where the damaged one is now. */
  readonly aside: string
  /** How many of its lines could still be read. */
  readonly saved: number
}

/**
 * Opens the journal of the usual place. Nobody put another file there: one that is none was damaged, as by a machine
 * that lost its power. It is kept beside, and what can still be read of it goes on in a new one.
 *
 * @param onDamage told of that
 * @throws the system's error where it cannot be read, or not be set aside
 */
export function openUsualJournal(path: string, onDamage: (damage: JournalDamage) => void): JournalFile {
  const file = openJournalFile(path, { makeFolder: true })
  if (looksLikeJournal(file.read())) return file
  file.rewrite((text) => {
    // Another run was faster.
    if (looksLikeJournal(text)) return text
    const saved = parseLines(text)
    onDamage({ aside: copyAside(path), saved: saved.length })
    return saved.map(toLine).join('')
  })
  return file
}

/** The journal of the usual place as it is; where it is damaged, what can still be read of it. Changes nothing. */
export function readUsualJournal(path: string): JournalFile {
  return openJournalFile(path, { makeFolder: false })
}

/** Under a name that is free. */
function copyAside(path: string): string {
  const content = readPrivateFile(path)
  for (let number = 1; ; number += 1) {
    const aside = number === 1 ? `${path}.damaged` : `${path}.damaged-${number}`
    try {
      writeFileSync(aside, content, { mode: 0o600, flag: 'wx' })
      return aside
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}
