import { reasonOf } from '../../system/system-errors.ts'
import type { Credentials } from '../config/connection.ts'
import { CliError } from '../failures/cli-error.ts'
import { counted } from '../output/format/format.ts'
import type { Context } from '../run/context.ts'
import { createJournal, type Journal } from './journal.ts'
import type { JournalFile } from './journal-file.ts'
import {
  type JournalDamage,
  journalPath,
  openNamedJournal,
  openUsualJournal,
  readUsualJournal,
} from './journal-place.ts'

export interface JournalChoice {
  /** A file of the user's choice; false for none. */
  readonly journal?: string | false | undefined
  /** Looks at the journal without writing. */
  readonly readOnly?: boolean
}

/**
 * Opens the journal of a run. One that cannot be written, or is damaged, is told of, and done without.
 * @throws CliError of code `usage` where the file that was named is of another kind
 */
export function openUploadJournal(choice: JournalChoice, credentials: Credentials, context: Context): Journal {
  const { clock, reporter } = context
  const path = choice.journal || journalPath(context.io.env)
  const onProblem = (reason: string) =>
    reporter.report({
      type: 'warning',
      text: `The journal ${path} cannot be used: ${reason}`,
      hint: 'Going on without it: if this run is cut off, the same command will upload everything again',
    })
  const onDamage = ({ aside, saved }: JournalDamage) =>
    reporter.report({
      type: 'warning',
      text: `The journal ${path} is damaged, and is kept as ${aside}`,
      hint: `${counted(saved, 'line')} could still be read; what others told of is uploaded again by the same command`,
    })
  const file = choice.journal === false ? undefined : openOrTell(path, choice, { onProblem, onDamage })
  return createJournal({ credentials, clock, file, readOnly: choice.readOnly === true, onProblem })
}

function openOrTell(
  path: string,
  { journal, readOnly }: JournalChoice,
  { onProblem, onDamage }: { onProblem: (reason: string) => void; onDamage: (damage: JournalDamage) => void },
): JournalFile | undefined {
  try {
    if (journal) return openNamedJournal(path)
    return readOnly ? readUsualJournal(path) : openUsualJournal(path, onDamage)
  } catch (error) {
    if (error instanceof CliError) throw error
    onProblem(reasonOf(error))
    return undefined
  }
}
