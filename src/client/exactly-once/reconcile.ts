import { invalidValue, kindOf } from '../../checks/coded-error.ts'
import { checkOptions } from '../../checks/options.ts'
import type { Clock } from '../../clock.ts'
import type { Upload, UploadPage } from '../../protocol/resources.ts'
import { observer } from '../../system/observer.ts'
import { eachPage, WrongPagesError } from '../each-page.ts'
import { FileHostError, type NoProofError } from '../errors.ts'
import { type Client, type ListOptions, type ReconcileOptions, reconcileOptions } from '../options.ts'
import type { AccountUploads } from './account-uploads.ts'
import {
  findCandidates,
  mayGoBackTo,
  type Reconciliation,
  type UncertainUpload,
  type UploadIntent,
} from './candidates.ts'
import { fingerprintOf, type ReadFingerprint, type TellApart } from './compare-bytes.ts'
import type { ServiceClock } from './service-clock.ts'

/** A page of the list. */
export interface SeenPage {
  readonly page: UploadPage
  /** Why the page does not prove what is not on it: a cache had kept it. */
  readonly doubt: NoProofError | undefined
}

interface SearchTools {
  readonly look: (options: ListOptions) => Promise<SeenPage>
  /** The client's. */
  readonly clock: Clock
  readonly serviceClock: ServiceClock
  readonly account: AccountUploads
  readonly compareBytes: (signal: AbortSignal | undefined) => TellApart
}

interface SearchOptions extends Pick<ReconcileOptions, 'signal' | 'onWaiting'> {
  readonly tellApart: TellApart
  readonly fingerprintOf: (upload: UncertainUpload) => ReadFingerprint
}

/** Undefined where the list has to be read again. */
type Found = Reconciliation | undefined

/** The list is read at most so often for one who cannot tell yet. */
const MOST_LOOKS = 13
/** By then a list that lags shows every upload. */
const NEXT_LOOK_MS = 5_000

/** Finds out from the list, and from the bytes on the site, whether uploads were stored. */
export class ListSearch {
  readonly #tools: SearchTools

  constructor(tools: SearchTools) {
    this.#tools = tools
  }

  /**
   * Reads the list at once, and a second time for uploads that it did not show, when a list that lags shows them. An entry
   * that is found belongs to its upload from then on: this client takes it for no other upload.
   *
   * @throws FileHostError when the list cannot be read
   */
  async find(uploads: readonly UncertainUpload[], options: SearchOptions): Promise<readonly Reconciliation[]> {
    const outcomes = new Map<UncertainUpload, Found>()
    const isOpen = (upload: UncertainUpload) => outcomes.get(upload)?.type !== 'stored'
    /** What was found is this client's from now on: it is reported, even if the list cannot be read for the others. */
    const unlessFound = (error: unknown): readonly Found[] => {
      if (!(error instanceof FileHostError) || uploads.every(isOpen)) throw error
      return []
    }
    for (let [looks, left] = [1, uploads]; left.length > 0; looks += 1) {
      const isLast = looks === MOST_LOOKS
      const found = await this.#look(left, options, isLast).catch(unlessFound)
      for (const [index, upload] of left.entries()) outcomes.set(upload, found[index])
      const isDecided = found.every((outcome) => outcome !== undefined)
      left = left.filter(isOpen)
      if (isLast || left.length === 0 || (looks > 1 && isDecided)) break
      if (looks === 1) options.onWaiting?.(NEXT_LOOK_MS)
      await this.#tools.clock.sleep(NEXT_LOOK_MS, options.signal)
    }
    return uploads.map((upload) => outcomes.get(upload) ?? { type: 'ambiguous', candidates: [] })
  }

  /** `client.reconcile`: of uploads that have ended, by their intents. */
  async reconcile(intents: readonly UploadIntent[], given: ReconcileOptions = {}): ReturnType<Client['reconcile']> {
    if (!Array.isArray(intents)) {
      throw invalidValue(`client.reconcile takes a list of intents, but got ${kindOf(intents)}`)
    }
    checkOptions('client.reconcile', given, reconcileOptions)
    const { sources = [], signal } = given
    const { serviceClock, clock, compareBytes } = this.#tools
    const uploads = intents.map((intent) => serviceClock.place(intent, clock))
    const fingerprints = intents.map(({ size: sent }, index) =>
      fingerprintOf(sources[index], ({ size }) => sent === null || size === sent),
    )
    return await this.find(uploads, {
      signal,
      onWaiting: observer('onWaiting of client.reconcile', given.onWaiting),
      tellApart: given.tellApart ?? compareBytes(signal),
      fingerprintOf: (upload) => fingerprints[uploads.indexOf(upload)] ?? (async () => undefined),
    })
  }

  /** @throws NoProofError at the last look, where all that is known is a list in doubt */
  async #look(uploads: readonly UncertainUpload[], options: SearchOptions, isLast: boolean): Promise<readonly Found[]> {
    const { account } = this.#tools
    const { listed, doubt } = await this.#readBackTo(uploads, options.signal)
    const candidates = uploads.map((upload) => findCandidates(upload, listed, account))
    account.saw(listed)
    const found = await decide(uploads, candidates, options, isLast)
    account.adopted(found)
    if (doubt === undefined) return found
    const proven = found.map((outcome) => (outcome?.type === 'stored' ? outcome : undefined))
    if (isLast && proven.every((outcome) => outcome === undefined)) throw doubt
    return proven
  }

  /** Reads the newest page, and further ones as long as they may hold uploads of that time, and nothing puts them in doubt. */
  async #readBackTo(wanted: readonly UncertainUpload[], signal: AbortSignal | undefined): Promise<Listed> {
    const listed: Upload[] = []
    let doubt: NoProofError | undefined
    const read = async (page: number) => {
      const seen = await this.#tools.look({ page, signal })
      doubt ??= seen.doubt
      return seen.page
    }
    try {
      for await (const page of eachPage(read)) {
        if (listed.length === 0) this.#tools.serviceClock.listed(page)
        listed.push(...page)
        const last = page.at(-1)
        const spans = wanted.map((upload) => upload.made())
        if (doubt !== undefined || (last !== undefined && !mayGoBackTo(last, spans))) break
      }
    } catch (error) {
      if (!(error instanceof WrongPagesError)) throw error
      doubt ??= error
    }
    return { listed, doubt }
  }
}

interface Listed {
  readonly listed: readonly Upload[]
  /** Why an upload may be there that is not listed. */
  readonly doubt: NoProofError | undefined
}

/** Nothing in the list is taken before its bytes have told whose it is. */
async function decide(
  uploads: readonly UncertainUpload[],
  candidates: readonly (readonly Upload[])[],
  { tellApart, fingerprintOf }: SearchOptions,
  isLast: boolean,
): Promise<readonly Found[]> {
  const questions = uploads.flatMap((upload, index) => {
    const own = candidates[index] ?? []
    return own.length > 0 ? [{ intent: upload.intent, candidates: own, fingerprint: fingerprintOf(upload) }] : []
  })
  const answers = questions.length === 0 ? [] : [...(await tellApart(questions))]
  const hasAnswers = answers.length > 0
  return candidates.map((own): Found => {
    if (own.length === 0) return { type: 'not-stored' }
    const open = { type: 'ambiguous', candidates: own } as const
    return hasAnswers ? (answers.shift() ?? (isLast ? open : undefined)) : open
  })
}
