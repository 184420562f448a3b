import { randomBytes } from 'node:crypto'
import { lstatSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type AppendLog, type AppendLogAccess, openAppendLog } from '../system/append-log.ts'
import type { Environment } from '../system/environment.ts'
import { withLock } from '../system/file-lock.ts'
import { makePrivateFolder } from '../system/private-folder.ts'
import { stateFolder } from '../system/user-folders.ts'
import { looksLikeJournal } from './journal-facts.ts'

/** The journal that `fh upload` keeps unless the user names another. */
export function usualJournal(env: Environment): string {
  return join(stateFolder(env), 'uploads.journal')
}

/** The record is in the folder of its journal. */
export function recordOf(journal: string): string {
  return `${journal.replace(/\.journal$/, '')}.record`
}

/**
 * A file of lines to which many processes append and which any of them may rewrite. It is created at the first append, and
 * its folder if `makeFolder` is set.
 * @throws ForeignFileError in each call, where something other than a file of this user has the name
 */
export function openJournalFile(path: string, { makeFolder }: { readonly makeFolder: boolean }) {
  const isThere = () => lstatSync(path, { throwIfNoEntry: false }) !== undefined

  function append(text: string): void {
    if (makeFolder && !isThere()) makePrivateFolder(dirname(path))
    // The file may have been replaced during the write: then the text goes to the new one too.
    while (!appendOnce(path, text));
  }

  return {
    /** All lines; none where there is no file. */
    lines: (): readonly string[] => (isThere() ? withLog(path, 'read', (log) => log.all()) : []),
    /** Whether it is a journal, or empty. Of a journal the first lines tell that. */
    isJournal: (): boolean =>
      !isThere() ||
      withLog(path, 'read', (log) => {
        const first = log.first()
        return (first.length > 0 && looksLikeJournal(first)) || looksLikeJournal(log.all())
      }),
    append,
    /** Reads the file as it grows. */
    follow: () => createFollower(path, isThere),
    /**
     * Replaces all lines. Lines that others append meanwhile are kept, perhaps twice.
     * @returns false if another process is rewriting the file
     */
    rewrite(make: Make): boolean {
      if (!isThere()) append('')
      return withLock(`${path}.lock`, () => withLog(path, 'read', (old) => replace(old, path, make, append)))
    },
  }
}

export type JournalFile = ReturnType<typeof openJournalFile>

/** Reads each line of a journal once. */
function createFollower(path: string, isThere: () => boolean) {
  let log: AppendLog | undefined
  return {
    /**
     * The lines since the last call; all lines where it is another file than then.
     * @returns `replaced`: in that case, the last lines of the file before
     */
    read() {
      let replaced: readonly string[] | undefined
      if (log !== undefined && !log.isNamed()) {
        replaced = log.rest()
        log.close()
        log = undefined
      }
      if (log === undefined && isThere()) {
        log = openAppendLog(path, 'read')
        replaced ??= []
      }
      return { replaced, lines: log?.rest() ?? [] }
    },
    close() {
      log?.close()
      log = undefined
    },
  }
}

/** @returns whether the file still has its name after the write */
function appendOnce(path: string, text: string): boolean {
  return withLog(path, 'create', (log) => {
    log.append(text)
    return log.isNamed()
  })
}

type Make = (lines: readonly string[]) => readonly string[]

/** @returns false if the file was removed or replaced meanwhile: this process was out of sight, and its lock was another's */
function replace(old: AppendLog, path: string, make: Make, append: (text: string) => void): boolean {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const appendTo = (log: { append(text: string): void }, lines: readonly string[]) => {
    if (lines.length > 0) log.append(lines.join('\n'))
  }
  try {
    withLog(temporary, 'new', (draft) => {
      appendTo(draft, make(old.rest()))
      draft.flush()
      // Lines that others have appended meanwhile: a kill right after the rename must not lose them.
      appendTo(draft, old.rest())
    })
    if (!old.isNamed()) return false
    renameSync(temporary, path)
    // Lines appended after that and before the rename.
    appendTo({ append }, old.rest())
    return true
  } finally {
    rmSync(temporary, { force: true })
  }
}

function withLog<T>(path: string, access: AppendLogAccess, work: (log: AppendLog) => T): T {
  const log = openAppendLog(path, access)
  try {
    return work(log)
  } finally {
    log.close()
  }
}
