import type { Upload } from '../index.ts'
import type { Environment } from '../system/environment.ts'
import { parseLines } from './journal-facts.ts'
import { openJournalFile, recordOf, usualJournal } from './journal-file.ts'
import { foldOf } from './journal-fold.ts'
import { openRecordFile } from './record/record-file.ts'

/** The name under which an upload is shown; null where none is known. */
export type NameOf = (upload: Pick<Upload, 'slug' | 'title'>) => string | null

/**
 * Names uploads by the title that the service gives, else by the file that this machine uploaded. A slug is unique at its
 * service, so a name is found under every key of the address. Record and journal are read once, at the first upload
 * without a title.
 */
export function createNameOf(baseUrl: string, env: Environment): NameOf {
  let names: ReadonlyMap<string, string> | undefined
  return ({ slug, title }) => {
    if (title) return title
    names ??= recordedNames(baseUrl, env)
    // Standard input may have been sent without a name.
    return names.get(slug) || null
  }
}

/**
 * The names of files that this machine uploaded to an address, by slug. A name in the record is the one of the upload
 * itself; the journal may have another file of the same content too.
 */
export function recordedNames(baseUrl: string, env: Environment): ReadonlyMap<string, string> {
  const journal = usualJournal(env)
  const recorded = orNone(() => openRecordFile(recordOf(journal)).names(baseUrl))
  const recent = orNone(() => {
    const { lines } = openJournalFile(journal, { makeFolder: false })
    return foldOf(parseLines(lines())).names(baseUrl)
  })
  return new Map([...recent, ...recorded])
}

/** A file that cannot be read has no names: what is shown of uploads does not need them. */
function orNone(read: () => ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  try {
    return read()
  } catch {
    return new Map()
  }
}
