import type { Clock } from '../../clock.ts'
import { essence } from '../../protocol/media-types.ts'
import type { Upload } from '../../protocol/resources.ts'
import type { Reconciliation, Treatment } from './candidates.ts'

/** Times of different clocks cannot be compared. */
const accounts = new WeakMap<Clock, Map<string, WeakRef<AccountUploads>>>()

/** More than a service is sent while a clock of its own is behind: slugs that became known earlier need not be named. */
const WORTH_KNOWING = 100

/** What all clients of one account in this process share: what they send, and what they know of its uploads. */
export class AccountUploads {
  readonly #ours = new Set<string>()
  /** How many slugs had become known before each. */
  readonly #places = new Map<string, number>()
  /** Uploads that are all sent and have no answer yet, with their types. */
  readonly #unanswered = new Map<object, string>()
  readonly #treatments = new Map<string, Treatment>()

  /** @param clock of the client */
  static of(baseUrl: string, apiKey: string, clock: Clock): AccountUploads {
    const known = accounts.get(clock) ?? new Map<string, WeakRef<AccountUploads>>()
    accounts.set(clock, known)
    for (const [account, uploads] of known) if (uploads.deref() === undefined) known.delete(account)
    const account = `${apiKey} ${baseUrl}`
    const shared = known.get(account)?.deref() ?? new AccountUploads()
    known.set(account, new WeakRef(shared))
    return shared
  }

  /** @param isSent whether all of an attempt has been sent, and no answer has come */
  awaits(upload: object, mimeType: string, isSent: boolean): void {
    if (isSent) this.#unanswered.set(upload, mimeType)
    else this.#unanswered.delete(upload)
  }

  /**
   * Whether uploads of a type may be answered any moment: that tells whose an entry of the list is, and whether the service
   * keeps such files as they are.
   */
  awaitsAnswer(mimeTypes: readonly string[]): boolean {
    return [...this.#unanswered.values()].some((mimeType) => mimeTypes.includes(mimeType))
  }

  /** The service answered an upload of this client with this record. */
  answered(upload: Upload, { size, mimeType }: { readonly size: number; readonly mimeType: string }): void {
    this.#addOurs(upload.slug)
    const asSent = upload.size === size && essence(upload.mime_type) === essence(mimeType)
    // One changed file outweighs many kept ones: a service may leave small or plain files as they are.
    if (this.#treatments.get(mimeType) !== 'changes') this.#treatments.set(mimeType, asSent ? 'keeps' : 'changes')
  }

  /** The bytes proved of entries of the list that they are uploads of this client. */
  adopted(outcomes: readonly (Reconciliation | undefined)[]): void {
    for (const outcome of outcomes) {
      if (outcome?.type !== 'stored') continue
      this.#addOurs(outcome.upload.slug)
      const type = essence(outcome.upload.mime_type)
      if (this.#treatments.get(type) === undefined) this.#treatments.set(type, 'keeps')
    }
  }

  /** The list showed these. */
  saw(uploads: readonly Upload[]): void {
    for (const { slug } of uploads) this.#learn(slug)
  }

  /** Whether the service answered this client with it, or this client found it in the list. */
  isOurs(slug: string): boolean {
    return this.#ours.has(slug)
  }

  /** How many slugs have become known so far. */
  mark(): number {
    return this.#places.size
  }

  /** Whether a slug became known before a mark; does not depend on a clock. */
  wasSeenBefore(slug: string, mark: number): boolean {
    return (this.#places.get(slug) ?? Number.POSITIVE_INFINITY) < mark
  }

  /** Slugs that became known lately. */
  recent(): readonly string[] {
    return [...this.#places.keys()].slice(-WORTH_KNOWING)
  }

  treatmentOf(mimeType: string): Treatment {
    return this.#treatments.get(mimeType)
  }

  #addOurs(slug: string): void {
    this.#ours.add(slug)
    this.#learn(slug)
  }

  #learn(slug: string): void {
    if (!this.#places.has(slug)) this.#places.set(slug, this.#places.size)
  }
}
