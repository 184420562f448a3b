import { existsSync } from 'node:fs'
import type { Credentials } from '../config/connection.ts'
import type { Context } from '../run/context.ts'
import type { Journal } from './journal.ts'
import { journalPath } from './journal-place.ts'
import { openUploadJournal } from './open-journal.ts'

/**
 * Has the journal forget an upload as soon as it is deleted, so that no run skips it, however soon this one ends. Where
 * there is no journal there is nothing to forget.
 */
export function createForgetting(credentials: Credentials, context: Context): (slug: string) => void {
  let journal: Journal | undefined
  return (slug) => {
    if (journal === undefined && !existsSync(journalPath(context.io.env))) return
    journal ??= openUploadJournal({}, credentials, context)
    journal.forget([slug])
  }
}
