import { randomBytes } from 'node:crypto'
import { steadyClock } from '../../clock.ts'
import type { Clock } from '../../index.ts'
import { isGone, thisProcess } from '../../system/process-identity.ts'
import { reasonOf } from '../../system/system-errors.ts'
import type { Credentials } from '../config/connection.ts'
import { accountOf, createFormerAccount } from './former-account.ts'
import type { Claim, Journal } from './journal.ts'
import { type Account, isOf, type JournalFact, parseLines, toLine } from './journal-facts.ts'
import type { JournalFile } from './journal-file.ts'
import { createJournalFold, type IsLive } from './journal-fold.ts'
import { uploadIntent } from './journal-items.ts'
import { type Content, createKnownUploads } from './known-uploads.ts'
import { changeAccounts, KEPT_MS, moveToRecord, unlessForeign } from './move-to-record.ts'
import { otherKeys } from './other-keys.ts'
import type { RecordFile } from './record-file.ts'

/** The run of what other machines know. It has no `run` fact, so it counts as over. */
const ELSEWHERE = 'elsewhere'

export interface JournalOptions {
  readonly credentials: Credentials
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

export function createJournal(options: JournalOptions): Journal {
  const { credentials, clock, file, record, readOnly, onProblem } = options
  const account = accountOf(credentials)
  const former = createFormerAccount(credentials, account)
  const joined = record && former.joined(record)
  const me = thisProcess()
  /** The same steady clock as the client's, so that times can be compared. */
  const steady = steadyClock(clock)
  const run = randomBytes(8).toString('hex')
  const mayBeLive: IsLive = (other, lastAt) => !isGone(other, clock.now() - lastAt, me)
  // A process of another machine or container cannot be checked. A restarted container may have replaced it, so its
  // uploads are looked for in the list rather than waited for.
  const isLive: IsLive = (other, lastAt) =>
    other.host === me.host && other.boot === me.boot && other.space === me.space && mayBeLive(other, lastAt)
  const follower = file?.follow()
  let fold = createJournalFold()
  let target = readOnly ? undefined : file
  let begun = false
  let items = 0
  const stored = createKnownUploads({ account, record: joined, clock, run, fold: () => fold, deleterOf })

  refresh()

  /** Reads what other runs have written since. */
  function refresh(): void {
    const news = follower?.read()
    if (news === undefined) return
    if (news.isRewritten) {
      // Uploads may have moved to the record.
      fold = createJournalFold()
      stored.reset()
    }
    for (const fact of parseLines(news.lines)) fold.apply(former.renamed(fact))
  }

  function write(fact: JournalFact): void {
    try {
      target?.append(toLine(fact))
      // The order of all lines in the file decides between claims.
      if (target && follower) {
        refresh()
        return
      }
    } catch (error) {
      target = undefined
      onProblem(reasonOf(error))
    }
    fold.apply(fact)
  }

  function deleterOf(slug: string) {
    return fold.deleter(account, slug, isLive)
  }

  function begin(): void {
    if (begun) return
    begun = true
    write({ type: 'run', run, ...me, at: clock.now() })
  }

  function nextId(): string {
    items += 1
    return `${run}-${items}`
  }

  function claim(path: string, { size, sha256 }: Content): Claim {
    begin()
    const id = nextId()
    const own = { id, run, ...account, path, size }
    let hash = sha256
    let isIntended = false
    write({ type: 'claim', ...own, sha256, at: clock.now() })
    return {
      id,
      standing() {
        refresh()
        return fold.standing(id, isLive, clock.now() - KEPT_MS)
      },
      intend({ size: sent, mimeType, startedAt, monotonic, serviceStartedAt }) {
        isIntended = true
        write({
          type: 'intent',
          ...own,
          size: sent ?? size,
          sha256: hash,
          mime_type: mimeType,
          at: startedAt,
          ...(monotonic !== undefined && { monotonic }),
          ...(serviceStartedAt && { service_from: serviceStartedAt.from, service_to: serviceStartedAt.to }),
        })
      },
      hashed(value) {
        if (value === hash) return
        hash = value
        write({ type: 'hashed', id, sha256: value })
      },
      looking: () => write({ type: 'looking', id }),
      done: (upload) => write({ type: 'done', id, upload, at: clock.now() }),
      notStored: () => write({ type: 'not-stored', id }),
      unknown: () => write(isIntended ? { type: 'unknown', id, at: steady.now() } : { type: 'not-stored', id }),
    }
  }

  const slugs = () => {
    refresh()
    return fold.slugs(account)
  }

  return {
    slugs,
    latest: () => ({ slugs: slugs(), underway: fold.underway(account, isLive), outcomeOf: fold.outcomeOf }),
    keeps: (mimeType) => fold.keeps(account, mimeType),
    otherKeys() {
      refresh()
      return otherKeys(account, fold, joined)
    },
    adopt(other) {
      const change = (one: Account) => (isOf(one, other.account) ? account : one)
      write({ type: 'adopting', ...account, from: other.account })
      try {
        if (target && record && !changeAccounts(target, unlessForeign(record), change)) return false
      } catch (error) {
        target = undefined
        onProblem(reasonOf(error))
      }
      stored.reset()
      refresh()
      return true
    },
    unsettled() {
      refresh()
      return fold.open(account, isLive).filter(({ intent }) => intent.at >= clock.now() - KEPT_MS)
    },
    intentOf: (entry) => uploadIntent(entry, slugs()),
    settle({ intent: { id } }, reconciliation) {
      const { type } = reconciliation
      if (type === 'stored') write({ type: 'done', id, upload: reconciliation.upload, at: clock.now() })
      if (type === 'not-stored') write({ type, id })
    },
    identify: ({ intent: { id } }, sha256) => write({ type: 'hashed', id, sha256 }),
    mayHave: stored.mayHave,
    expect: stored.expect,
    known: stored.known,
    claim,
    found(path, { size, sha256 }, upload) {
      begin()
      write({ type: 'found', id: nextId(), run, ...account, path, size, sha256, upload, at: clock.now() })
    },
    learn(fact) {
      const id = nextId()
      write({ ...fact, id, run: ELSEWHERE, ...account })
      return id
    },
    isOver(id) {
      refresh()
      return fold.isOver(id, mayBeLive)
    },
    deleter(content) {
      refresh()
      return stored.known(content).flatMap(({ slug }) => {
        const deleter = deleterOf(slug)
        return deleter?.isAtWork && deleter.run ? [deleter.run] : []
      })[0]
    },
    deleting(slug) {
      begin()
      write({ type: 'deleting', run, ...account, slug })
    },
    kept: (slug) => write({ type: 'kept', ...account, slug }),
    forget(slugs) {
      for (const slug of slugs) write({ type: 'forgotten', ...account, slug })
    },
    close() {
      if (begun) write({ type: 'end', run })
      follower?.close()
      if (!target || !record) return
      former.takeOver(target, record)
      // Of a clock that was set, the earlier time moves less.
      moveToRecord(target, record, { now: Math.min(clock.now(), steady.now()), mayBeLive, fold })
    },
  }
}
