import type { Clock } from '../../clock.ts'
import type { Upload, UploadPage } from '../../protocol/resources.ts'
import { UnexpectedResponseError } from '../errors.ts'
import type { CallOptions, Client } from '../options.ts'
import { createPageWatch } from '../page-watch.ts'
import { matchUploads, mayGoBackTo } from './match-uploads.ts'
import type { ServiceClock } from './service-clock.ts'
import type { Timing, UncertainUpload } from './uncertain-upload.ts'
import type { Reconciliation, UploadIntent } from './upload-intent.ts'
import type { TrackedUpload, UploadRegistry } from './upload-registry.ts'

export interface ReconcileOptions extends CallOptions {
  /** The upload on its way that is being settled, which is no rival of itself. */
  readonly self?: TrackedUpload
}

/** Finds out from the list what became of uploads. @throws FileHostError where it cannot be read */
export type Reconcile = (
  uploads: readonly UncertainUpload[],
  options?: ReconcileOptions,
) => Promise<readonly Reconciliation[]>

interface ReconcileTools {
  readonly readPage: (options: CallOptions & { readonly page: number }) => Promise<UploadPage>
  readonly clock: Clock
  readonly serviceClock: ServiceClock
  readonly registry: UploadRegistry
}

/** A list that lags behind its uploads has caught up by then, from the end of the attempt on. */
const LAST_LOOK_AFTER_MS = 5_000

/**
 * Looks at once, and where an upload is not found a second time, once the list has had time to catch up. What is found
 * is taken at that moment, so that nothing else of this client can take it.
 */
export function createReconcile({ readPage, clock, serviceClock, registry }: ReconcileTools): Reconcile {
  async function look(
    uploads: readonly UncertainUpload[],
    { signal, self }: ReconcileOptions,
  ): Promise<Reconciliation[]> {
    const listed = await readBackTo(uploads, signal)
    const others = registry.otherUncertain(self)
    const asked = new Map([...others, ...uploads].map((upload) => [upload.intent, upload]))
    const timings = new Map([...asked].map(([intent, upload]) => [intent, upload.timing()]))
    const matches = matchUploads(
      uploads.map(({ intent }) => intent),
      listed,
      {
        timingOf: (intent) => timings.get(intent) ?? anyTime,
        isKnown: (slug, intent) => registry.isOurs(slug) || asked.get(intent)?.isSeenBefore(slug) === true,
        others: others.map(({ intent }) => intent),
        treatmentOf: registry.treatmentOf,
      },
    )
    registry.saw(listed)
    return matches.map((match) => {
      if (match.type === 'missing') return { type: 'not-stored' }
      if (match.type === 'stored') registry.adopted(match.upload)
      return match
    })
  }

  /** The newest page, and further ones while they may hold uploads of that time. */
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

  /** A page that came whole and makes no sense is asked for once more: much depends on it. */
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
    if (uploads.every((upload, index) => isQuiet[index] || !open.includes(upload))) return outcomes
    const quietMs = Math.min(...open.map((upload) => upload.quietMs()))
    await clock.sleep(Math.max(0, LAST_LOOK_AFTER_MS - quietMs), options.signal)
    const later = await look(open, options)
    return outcomes.map((outcome) => (outcome.type === 'stored' ? outcome : (later.shift() ?? outcome)))
  }
}

const anyTime: Timing = {
  begun: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
  ended: Number.POSITIVE_INFINITY,
}

/** For intents that are no upload on its way any more: what stays open of them goes on to be a rival of others. */
export function createReconcileIntents(
  reconcile: Reconcile,
  registry: UploadRegistry,
  toUncertain: (intent: UploadIntent) => UncertainUpload,
): Client['reconcile'] {
  return async (intents, options) => {
    registry.removeUncertain(intents)
    const uploads = intents.map(toUncertain)
    let open: readonly UncertainUpload[] = uploads
    try {
      const outcomes = await reconcile(uploads, options)
      open = uploads.filter((_, index) => outcomes[index]?.type === 'ambiguous')
      return outcomes
    } finally {
      for (const upload of open) registry.addUncertain(upload)
    }
  }
}
