import { essence } from '../../protocol/media-types.ts'
import type { Upload } from '../../protocol/resources.ts'
import type { Reconciliation, Treatment } from './candidates.ts'

/** More than a service is sent while a clock of its own is behind: slugs that became known earlier need not be named. */
const WORTH_KNOWING = 100

/** What a client sends to its account, and what it knows of its uploads. */
export class AccountUploads {
  readonly #ours = new Set<string>()
  /** Uploads that are all sent and have no answer yet, with their types. */
  readonly #unanswered = new Map<object, string>()
  readonly #treatments = new Map<string, Treatment>()

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
    this.#ours.add(upload.slug)
    const asSent = upload.size === size && essence(upload.mime_type) === essence(mimeType)
    // One changed file outweighs many kept ones: a service may leave small or plain files as they are.
    if (this.#treatments.get(mimeType) !== 'changes') this.#treatments.set(mimeType, asSent ? 'keeps' : 'changes')
  }

  /** The bytes proved of entries of the list that they are uploads of this client. */
  adopted(outcomes: readonly (Reconciliation | undefined)[]): void {
    for (const outcome of outcomes) {
      if (outcome?.type !== 'stored') continue
      this.#ours.add(outcome.upload.slug)
      const type = essence(outcome.upload.mime_type)
      if (this.#treatments.get(type) === undefined) this.#treatments.set(type, 'keeps')
    }
  }

  /** Whether the service answered this client with it, or this client found it in the list. */
  isOurs(slug: string): boolean {
    return this.#ours.has(slug)
  }

  /** Slugs of its latest uploads. */
  recent(): readonly string[] {
    return [...this.#ours].slice(-WORTH_KNOWING)
  }

  treatmentOf(mimeType: string): Treatment {
    return this.#treatments.get(mimeType)
  }
}
