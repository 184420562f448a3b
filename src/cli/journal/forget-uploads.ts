import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'
import type { Credentials } from '../service/connection.ts'
import { openUploadJournal } from '../upload/upload-journal.ts'
import type { Journal } from './journal.ts'
import { journalPath } from './journal-place.ts'

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
