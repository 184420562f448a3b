import { observer } from '../../checks/observer.ts'
import type { Clock } from '../../clock.ts'
import type { Upload, UploadPage } from '../../protocol/resources.ts'
import type { CallOptions } from '../calls/read-calls.ts'
import { UnexpectedResponseError } from '../errors.ts'
import type { Client, ReconcileOptions } from '../options.ts'
import { createPageWatch } from '../page-watch.ts'
import { matchUploads, mayGoBackTo, type SoughtUpload } from './match-uploads.ts'
import type { ServiceClock } from './service-clock.ts'
import type { UncertainUpload } from './uncertain-upload.ts'
import type { Reconciliation, UploadIntent } from './upload-intent.ts'
import type { TrackedUpload, UploadRegistry } from './upload-registry.ts'

interface LookOptions extends ReconcileOptions {
  /** The uploads that are looked for, as they are tracked: they do not count as other uploads. */
  readonly selves?: readonly TrackedUpload[]
}

/** Finds out from the list whether uploads were stored. @throws FileHostError when the list cannot be read */
export type Reconcile = (
  uploads: readonly UncertainUpload[],
  options?: LookOptions,
) => Promise<readonly Reconciliation[]>

interface ReconcileTools {
  readonly readPage: (options: CallOptions & { readonly page: number }) => Promise<UploadPage>
  readonly clock: Clock
  readonly serviceClock: ServiceClock
  readonly registry: UploadRegistry
  /** Whether an entry of the list may be another program's. */
  readonly othersUpload: boolean
}

/** A list that lags shows every upload this long after the end of its attempt. */
const LAST_LOOK_AFTER_MS = 5_000

/**
 * Reads the list at once, and a second time for uploads that it did not show, when a list that lags shows them. An entry
 * that is found belongs to its upload from then on: this client takes it for no other upload.
 */
export function createReconcile({ readPage, clock, serviceClock, registry, othersUpload }: ReconcileTools): Reconcile {
  async function look(uploads: readonly UncertainUpload[], { signal, selves }: LookOptions): Promise<Reconciliation[]> {
    const listed = await readBackTo(uploads, signal)
    const sought = (upload: UncertainUpload): SoughtUpload => ({
      intent: upload.intent,
      timing: upload.timing(),
      isKnown: (slug) => registry.isOurs(slug) || upload.wasSeenBefore(slug),
    })
    const others = registry.otherUncertain(selves).map(sought)
    const matches = matchUploads(uploads.map(sought), listed, { others, treatmentOf: registry.treatmentOf })
    registry.saw(listed)
    return matches.map((match) => {
      if (match.type === 'missing') return { type: 'not-stored' }
      if (match.type === 'stored' && othersUpload) return { type: 'ambiguous', candidates: [match.upload] }
      if (match.type === 'stored') registry.adopted(match.upload)
      return match
    })
  }

  /** Reads the newest page, and further ones as long as they may hold uploads of that time. */
  async function readBackTo(wanted: readonly UncertainUpload[], signal: AbortSignal | undefined): Promise<Upload[]> {
    const listed = new Map<string, Upload>()
    const watch = createPageWatch<Upload>(({ slug }) => slug)
    for (let number = 1, more = true; more; number += 1) {
      if (number > 1) watch.assertEnds()
      const page = await readUnspoilt({ page: number, ...(signal && { signal }) })
      watch.take(page.data, page.last_page)
      for (const upload of page.data) listed.set(upload.slug, upload)
      const last = page.data.at(-1)
      const isLastPage = number >= page.last_page || page.current_page < number
      serviceClock.listed(page.data)
      const timings = wanted.map((upload) => upload.timing())
      more = !isLastPage && last !== undefined && mayGoBackTo(last, timings)
    }
    return [...listed.values()]
  }

  /** Asks once more for a page that arrived whole but cannot be read. */
  async function readUnspoilt(options: CallOptions & { readonly page: number }): Promise<UploadPage> {
    try {
      return await readPage(options)
    } catch (error) {
      if (!(error instanceof UnexpectedResponseError) || error.status !== 200) throw error
      return await readPage(options)
    }
  }

  return async (uploads, options = {}) => {
    if (uploads.length === 0) return []
    const isQuiet = uploads.map((upload) => upload.quietMs() >= LAST_LOOK_AFTER_MS)
    const outcomes = await look(uploads, options)
    const open = uploads.filter((_, index) => outcomes[index]?.type !== 'stored')
    if (outcomes.every(({ type }, index) => type === 'stored' || isQuiet[index])) return outcomes
    const quietMs = Math.min(...open.map((upload) => upload.quietMs()))
    const ms = Math.max(0, LAST_LOOK_AFTER_MS - quietMs)
    options.onWaiting?.(ms)
    await clock.sleep(ms, options.signal)
    const later = await look(open, options)
    return outcomes.map((outcome) => (outcome.type === 'stored' ? outcome : (later.shift() ?? outcome)))
  }
}

/**
 * Reconciles intents of uploads that have ended. Until they are known, and if they stay open, they may explain what the list
 * shows of others.
 */
export function createReconcileIntents(
  reconcile: Reconcile,
  registry: UploadRegistry,
  toUncertain: (intent: UploadIntent) => UncertainUpload,
): Client['reconcile'] {
  return async (intents, options) => {
    const onWaiting = observer('onWaiting of client.reconcile', options?.onWaiting)
    registry.untrack(intents)
    const uploads = intents.map(toUncertain)
    const selves = uploads.map((upload) => () => upload)
    const untrack = selves.map((self) => registry.track(self))
    const outcomes = await reconcile(uploads, { ...options, onWaiting, selves })
    for (const [index, { type }] of outcomes.entries()) if (type !== 'ambiguous') untrack[index]?.()
    return outcomes
  }
}
