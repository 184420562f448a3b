import { existsSync, writeFileSync } from 'node:fs'
import { createJournal, type Journal } from '../../contents/journal.ts'
import { looksLikeJournal, parseLines, toLine } from '../../contents/journal-facts.ts'
import { type JournalFile, openJournalFile, recordOf, usualJournal } from '../../contents/journal-file.ts'
import { openRecordFile, type RecordFile } from '../../contents/record/record-file.ts'
import { ForeignRecordError } from '../../contents/record/record-segment.ts'
import { counted } from '../../protocol/quantities.ts'
import { readPrivateFile } from '../../system/private-file.ts'
import { errorCodeOf, reasonOf } from '../../system/system-errors.ts'
import type { Credentials } from '../config/connection.ts'
import { CliError, usageError } from '../failures/cli-error.ts'
import type { Context } from './context.ts'

export interface JournalChoice {
  /** A file that the user named; false for no journal. Default: `uploads.journal` in the state folder. */
  readonly journal?: string | false | undefined
  /** Reads the journal without writing. */
  readonly readOnly?: boolean
}

/**
 * Opens the journal of a run. If it cannot be used, the run continues without it after a warning.
 * @throws CliError of code `usage` where the user named a file of another kind
 */
export function openUploadJournal(choice: JournalChoice, credentials: Credentials, context: Context): Journal {
  const { clock, warn } = context
  const path = choice.journal || usualJournal(context.io.env)
  const onProblem = (reason: string) =>
    warn({
      message: `The journal ${path} cannot be used: ${reason}`,
      hint: 'Continuing without it: the uploads of this run will not be remembered',
    })
  const onDamage = ({ aside, saved }: JournalDamage) =>
    warn({
      message: `The journal ${path} is damaged; it is kept as ${aside}`,
      hint: `Recovered ${counted(saved, 'line')}; files recorded in the rest will be uploaded again`,
    })
  const open = () => {
    if (choice.journal) return openNamed(path)
    return choice.readOnly ? openJournalFile(path, { makeFolder: false }) : openUsual(path, onDamage)
  }
  const file = choice.journal === false ? undefined : openOr(onProblem, open)
  const record = file && openRecord(path, context)
  return createJournal({ credentials, clock, file, record, readOnly: choice.readOnly === true, onProblem })
}

/** If the record cannot be used, the run continues without it after one warning. */
function openRecord(journal: string, { warn }: Context): RecordFile {
  const path = recordOf(journal)
  let isTold = false
  return openRecordFile(path, (error) => {
    if (isTold) return
    isTold = true
    const unusable = error instanceof ForeignRecordError ? error.path : path
    const hint = 'Continuing without it: files that it lists may be uploaded again'
    warn({ message: `The record of uploads ${unusable} is left alone: ${reasonOf(error)}`, hint })
  })
}

/** Tells runs on this machine, and the fleet's record, what becomes of uploads that this run deletes. */
export function createDeletionNotes(
  credentials: Credentials,
  context: Context,
  contents: { forget(slugs: readonly string[]): void } | undefined,
) {
  let journal: Journal | undefined
  const opened = () => {
    // Without a journal no run of this machine has uploads to skip.
    if (journal === undefined && existsSync(usualJournal(context.io.env))) {
      journal = openUploadJournal({}, credentials, context)
    }
    return journal
  }
  return {
    /** Call before each request leaves: no run skips a file for its link until the outcome is known. */
    begins: (slug: string) => opened()?.deleting(slug),
    /** No later run skips a file for its link. */
    gone(slug: string) {
      contents?.forget([slug])
      opened()?.forget([slug])
    },
    /** It was certainly not deleted. */
    kept: (slug: string) => opened()?.kept(slug),
    [Symbol.dispose]: () => journal?.close(),
  }
}

export type DeletionNotes = ReturnType<typeof createDeletionNotes>

function openOr(onProblem: (reason: string) => void, open: () => JournalFile): JournalFile | undefined {
  try {
    return open()
  } catch (error) {
    if (error instanceof CliError) throw error
    onProblem(reasonOf(error))
    return undefined
  }
}

/** The user may have named any file, so one of another kind is refused. */
function openNamed(path: string): JournalFile {
  const file = openJournalFile(path, { makeFolder: false })
  if (file.isJournal()) return file
  throw usageError(
    `${path} is not a journal of fh`,
    'Name a file that is empty or does not exist yet; a damaged journal must be moved away',
  )
}

/** Why a journal was replaced. */
interface JournalDamage {
  /** Where the damaged file is now. */
  readonly aside: string
  /** How many of its lines were readable. */
  readonly saved: number
}

/** Only fh writes here, so another kind of file is a damaged journal: it is copied aside, its readable lines are kept. */
function openUsual(path: string, onDamage: (damage: JournalDamage) => void): JournalFile {
  const file = openJournalFile(path, { makeFolder: true })
  if (file.isJournal()) return file
  file.rewrite((lines) => {
    // Another run may have replaced it first.
    if (looksLikeJournal(lines)) return lines
    const saved = parseLines(lines)
    onDamage({ aside: copyAside(path), saved: saved.length })
    return saved.map(toLine)
  })
  return file
}

function copyAside(path: string): string {
  const content = readPrivateFile(path)
  for (let number = 1; ; number += 1) {
    const aside = number === 1 ? `${path}.damaged` : `${path}.damaged-${number}`
    try {
      writeFileSync(aside, content, { mode: 0o600, flag: 'wx' })
      return aside
    } catch (error) {
      if (errorCodeOf(error) !== 'EEXIST') throw error
    }
  }
}
