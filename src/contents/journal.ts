import { randomBytes } from 'node:crypto'
import { steadyClock } from '../clock.ts'
import type { Clock, Reconciliation, Upload, UploadIntent } from '../index.ts'
import { isGone, isInSight, thisProcess } from '../system/process-identity.ts'
import { reasonOf } from '../system/system-errors.ts'
import { type AccountKey, createAccountKeys, type OtherKey } from './account-keys.ts'
import {
  type Account,
  isOf,
  type JournalFact,
  type LearntFact,
  parseLines,
  type RunFact,
  toLine,
} from './journal-facts.ts'
import type { JournalFile } from './journal-file.ts'
import { createJournalFold, type IsLive, type JournalFold } from './journal-fold.ts'
import { type Holder, intentFact, type OpenEntry, uploadIntent } from './journal-items.ts'
import { type Content, createKnownUploads } from './known-uploads.ts'
import { changeAccounts, KEPT_MS, moveToRecord, unlessForeign } from './record/move-to-record.ts'
import type { RecordFile } from './record/record-file.ts'

/** The run of what other machines know. It has no `run` fact, so it counts as over. */
const ELSEWHERE = 'elsewhere'
/** Facts in one write. */
const AT_ONCE = 1_000
/** A disk may be full for a moment only. */
const UNTOLD_MS = 60_000

export interface JournalOptions {
  readonly credentials: AccountKey
  readonly clock: Clock
  /** Undefined for a journal in memory. */
  readonly file: JournalFile | undefined
  /** Undefined where nothing is remembered beyond the journal. */
  readonly record: RecordFile | undefined
  /** Reads without writing. */
  readonly readOnly?: boolean
  /** Called once, when the journal can no longer be written. */
  readonly onProblem: (reason: string) => void
}

/** The uploads of this run and of others of the account: what is stored, what is being sent, and what was left open. */
export function createJournal(options: JournalOptions) {
  const { credentials, clock, file, record, readOnly, onProblem } = options
  const keys = createAccountKeys(credentials)
  const { account } = keys
  const me = thisProcess()
  /** The same steady clock as the client's, so that times can be compared. */
  const steady = steadyClock(clock)
  const run = randomBytes(8).toString('hex')
  const mayBeLive: IsLive = (other, lastAt) => !isGone(other, clock.now() - lastAt, me)
  // A process of another machine or container cannot be checked. A restarted container may have replaced it, so its
  // uploads are looked for in the list rather than waited for.
  const isLive: IsLive = (other, lastAt) => isInSight(other, me) && mayBeLive(other, lastAt)
  const target = readOnly ? undefined : file
  const follower = file?.follow()
  let fold = createJournalFold()
  /** What this run has told and the file does not have yet. */
  const untold: JournalFact[] = []
  let untoldSince = 0
  let hasProblem = false
  let begun = false
  let items = 0
  const stored = createKnownUploads({ ...keys, record, clock, run, fold: () => fold, deleterOf })

  refresh()

  function tellProblem(error: unknown): void {
    if (!hasProblem) onProblem(reasonOf(error))
    hasProblem = true
  }

  function applyAll(lines: readonly string[]): void {
    for (const fact of parseLines(lines)) fold.apply(keys.renamed(fact))
  }

  /** Reads what other runs have written since. @returns false where no file can be read */
  function refresh(): boolean {
    try {
      const news = follower?.read()
      if (news?.replaced) replaceFold(news.replaced, news.lines)
      else applyAll(news?.lines ?? [])
      return news !== undefined
    } catch (error) {
      // The next call reads it from its beginning.
      follower?.close()
      tellProblem(error)
      return false
    }
  }

  /** What all runs have written by now. */
  function latest(): JournalFold {
    refresh()
    return fold
  }

  /** Uploads may have moved to the record. What this run holds may be lost: the file was removed, or a rewrite was killed. */
  function replaceFold(last: readonly string[], lines: readonly string[]): void {
    applyAll(last)
    const before = fold
    fold = createJournalFold()
    stored.reset()
    applyAll(lines)
    for (const fact of untold) fold.apply(fact)
    const lost = before.lostOf(run, fold)
    if (lost.length > 0) writeAll(lost)
  }

  /** What cannot be written counts for this run all the same. */
  function writeAll(facts: readonly JournalFact[]): void {
    const isRead = target !== undefined && append(target, facts)
    if (!isRead) for (const fact of facts) fold.apply(fact)
  }

  /**
   * Writes facts, and before them those that could not be written until now.
   * @returns whether they were read again: the order of all lines in the file decides between claims
   */
  function append(to: JournalFile, facts: readonly JournalFact[]): boolean {
    // What a removed file had comes first.
    refresh()
    if (untold.length === 0) untoldSince = steady.now()
    for (const fact of facts) untold.push(fact)
    try {
      while (untold.length > 0) {
        const part = untold.slice(0, AT_ONCE)
        to.append(part.map(toLine).join('\n'))
        untold.splice(0, part.length)
      }
    } catch (error) {
      tellProblem(error)
      return false
    }
    return refresh()
  }

  const write = (fact: JournalFact) => writeAll([fact])

  function deleterOf(slug: string) {
    return fold.deleter(account, slug, isLive)
  }

  /** The run begins with the first fact that it writes. */
  function writeOwn(fact: JournalFact): void {
    const first: readonly JournalFact[] = begun ? [] : [{ type: 'run', run, ...me, at: clock.now() }]
    begun = true
    writeAll([...first, fact])
  }

  function nextId(): string {
    items += 1
    return `${run}-${items}`
  }

  function claim(path: string, { size, sha256 }: Content) {
    const id = nextId()
    const own = { id, run, ...account, path, size }
    let hash = sha256
    let isIntended = false
    writeOwn({ type: 'claim', ...own, sha256, at: clock.now() })
    return {
      /** Its name in the journal. */
      id,
      /** How this item stands among the claims of all runs on the same content. */
      standing: () => latest().standing(id, isLive, clock.now() - KEPT_MS),
      /** Whether a later claim may be on the same content, as far as its size tells. */
      isAwaited: () => latest().isAwaited(own),
      /** Whether the other run may wait for this one in turn: it could not be told for long what this one has stored. */
      waitsInVain(holder: Holder | undefined) {
        if (holder?.run.run === run || untold.length === 0 || steady.now() - untoldSince < UNTOLD_MS) return false
        writeAll([])
        return untold.length > 0
      },
      /** Call before the first byte of each attempt is sent. */
      intend(intent: UploadIntent) {
        isIntended = true
        write(intentFact({ ...own, sha256: hash, at: 0 }, intent))
      },
      hashed(value: string) {
        if (value === hash) return
        hash = value
        write({ type: 'hashed', id, sha256: value })
      },
      /** All bytes were sent, and no answer tells whether it is stored: this run looks for it. */
      looking: () => write({ type: 'looking', id }),
      done: (upload: Upload) => write({ type: 'done', id, upload, at: clock.now() }),
      /** It is certainly not stored, or that is unknown: only of what was begun to be sent. @returns what was noted */
      end(outcome: 'not-stored' | 'unknown') {
        const told = isIntended ? outcome : 'not-stored'
        write(told === 'unknown' ? { type: told, id, at: steady.now() } : { type: told, id })
        return told
      },
    }
  }

  const slugs = () => latest().slugs(account)

  return {
    /** All uploads of the account that runs have stored or found by now. */
    slugs,
    /** The same, and with it what else runs, this one too, have told by now. */
    latest: () => ({
      slugs: slugs(),
      /** What runs at work have begun to send without an outcome, in the journal's order. */
      underway: fold.underway(account, isLive),
      /** What became of an upload of this name; undefined if no run has found that out. */
      outcomeOf: fold.outcomeOf,
    }),
    /** Whether the service has stored files of this type as they were sent, and none otherwise. */
    keeps: (mimeType: string) => fold.keeps(account, mimeType),
    /** Other keys of the same address with uploads here; none once this key has uploads. */
    otherKeys: () => keys.others(latest(), record),
    /**
     * Makes the uploads of another key those of this one.
     * @returns false if another process is rewriting the journal
     */
    adopt(other: OtherKey) {
      const change = (one: Account) => (isOf(one, other.account) ? account : one)
      write({ type: 'adopting', ...account, from: other.account })
      try {
        if (target && record && !changeAccounts(target, unlessForeign(record), change)) return false
      } catch (error) {
        tellProblem(error)
      }
      stored.reset()
      refresh()
      return true
    },
    /** Uploads that were in flight when their runs ended. */
    unsettled: () =>
      latest()
        .open(account, isLive)
        .filter(({ intent }) => intent.at >= clock.now() - KEPT_MS),
    /** The intent to pass to `client.reconcile`. */
    intentOf: (entry: OpenEntry) => uploadIntent(entry, slugs()),
    settle({ intent: { id } }: OpenEntry, reconciliation: Reconciliation) {
      const { type } = reconciliation
      if (type === 'stored') write({ type: 'done', id, upload: reconciliation.upload, at: clock.now() })
      if (type === 'not-stored') write({ type, id })
    },
    /** Records the content's hash of an upload whose run was killed before it knew it. */
    identify: ({ intent: { id } }: OpenEntry, sha256: string) => write({ type: 'hashed', id, sha256 }),
    /** Whether a file of this size may be stored already, so that its hash has to be compared. */
    mayHave(size: number) {
      refresh()
      return stored.mayHave(size)
    },
    /** Looks sizes up in the record: once for a whole batch, because the record may be long. */
    expect: stored.expect,
    /** The stored uploads of a content, the newest first. */
    known: stored.known,
    /** Claims a content for this run, before anything of it is sent. */
    claim,
    /** The service showed that it has this content. */
    found(path: string, { size, sha256 }: Content, upload: Upload) {
      writeOwn({ type: 'found', id: nextId(), run, ...account, path, size, sha256, upload, at: clock.now() })
    },
    /** Notes what another machine knows of a file. @returns the name of its item */
    learn(fact: LearntFact) {
      const id = nextId()
      write({ ...fact, id, run: ELSEWHERE, ...account })
      return id
    },
    /** Whether the claim of this name belongs to a process of this machine that has ended. */
    isOver: (id: string) => latest().isOver(id, mayBeLive),
    /** The run that asks the service to delete an upload of this content right now. */
    deleter(content: Content): RunFact | undefined {
      refresh()
      return stored.known(content).flatMap(({ slug }) => {
        const deleter = deleterOf(slug)
        return deleter?.isAtWork && deleter.run ? [deleter.run] : []
      })[0]
    },
    /** Call before the request to delete an upload leaves. */
    deleting(slug: string) {
      writeOwn({ type: 'deleting', run, ...account, slug })
    },
    /** The upload was certainly not deleted. */
    kept: (slug: string) => write({ type: 'kept', ...account, slug }),
    /** The service no longer has these uploads. */
    forget(slugs: readonly string[]) {
      for (const slug of slugs) write({ type: 'forgotten', ...account, slug })
    },
    /** The run is over. */
    close() {
      if (begun) write({ type: 'end', run })
      follower?.close()
      if (!target || !record) return
      keys.takeOver(target, record)
      // Of a clock that was set, the earlier time moves less.
      moveToRecord(target, record, { now: Math.min(clock.now(), steady.now()), mayBeLive, fold })
    },
  }
}

export type Journal = ReturnType<typeof createJournal>
