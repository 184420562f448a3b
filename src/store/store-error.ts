import { reasonInText } from '../system/system-errors.ts'

/**
 * Why a database cannot be used. `busy`: another process has held it for two seconds. `moved`: its file was removed or
 * replaced after it was opened. `newer`: another version of fh has written it, mostly a later one. `unusable`: the disk, or the folder.
 */
export type DatabaseFailure = 'busy' | 'damaged' | 'moved' | 'newer' | 'unusable'

/** Why Redis cannot be used. `unreachable`: it may answer again by itself. `lost`: it has lost what this run knew. */
export type RedisFailure = 'unreachable' | 'lost' | 'refused'

const words: Readonly<Record<DatabaseFailure, string>> = {
  busy: 'another process holds it: has that one been stopped?',
  damaged: 'it is damaged',
  moved: 'it was removed or replaced meanwhile',
  newer: 'a newer version of fh has written it',
  unusable: 'the disk fails',
}

/** What is kept on this machine, or shared in Redis, cannot be used. No text has a password, and there is no cause. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly failure: DatabaseFailure | RedisFailure
  /** In plain words, or those of the system. */
  readonly reason: string
  /** What to do next, where the failure alone does not tell. */
  readonly hint: string | undefined

  constructor(failure: DatabaseFailure | RedisFailure, message: string, { reason = message, hint = '' } = {}) {
    super(message)
    this.failure = failure
    this.reason = reason
    this.hint = hint || undefined
  }

  /** @param reason in the words of the system, where the disk or the folder is at fault */
  static ofDatabase(failure: DatabaseFailure, path: string, reason = words[failure]): StoreError {
    return new StoreError(failure, `${path} cannot be used: ${reasonInText(reason)}`, { reason })
  }

  get isOfRedis(): boolean {
    return !Object.hasOwn(words, this.failure)
  }

  /** Whether Redis may answer again by itself. */
  get isPassing(): boolean {
    return this.failure === 'unreachable' || this.failure === 'lost'
  }
}
