import type { Clock } from '../../clock.ts'
import type { Upload, UploadPage } from '../../protocol/resources.ts'
import { UnexpectedResponseError } from '../errors.ts'
import type { CallOptions } from '../options.ts'
import { createPageWatch } from '../page-watch.ts'
import { matchUploads, mayGoBackTo } from './reconcile.ts'
import type { ServiceClock } from './service-clock.ts'
import type { Settlement, UploadIntent } from './upload-intent.ts'
import type { OpenUpload, UploadRegistry } from './upload-registry.ts'

export interface SettleOptions extends CallOptions {
  /** The upload on its way that is being settled, which is no rival of itself. */
  readonly self?: OpenUpload
}

/** Finds out from the list what became of uploads. @throws FileHostError where it cannot be read */
export type Settle = (intents: readonly UploadIntent[], options?: SettleOptions) => Promise<readonly Settlement[]>

interface SettleTools {
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
export function createSettle({ readPage, clock, serviceClock, registry }: SettleTools): Settle {
  async function look(intents: readonly UploadIntent[], { signal, self }: SettleOptions): Promise<Settlement[]> {
    const listed = await readBackTo(intents, signal)
    const matches = matchUploads(intents, listed, {
      offset: serviceClock.offset(clock.now()),
      isKnown: registry.isKnown,
      others: registry.others(self),
      treatmentOf: registry.treatmentOf,
    })
    registry.saw(listed, clock.now())
    return matches.map((match) => {
      if (match.type === 'missing') return { type: 'not-stored' }
      if (match.type === 'stored') registry.adopted(match.upload)
      return match
    })
  }

  /** The newest page, and further ones while they may hold uploads of that time. */
  async function readBackTo(intents: readonly UploadIntent[], signal: AbortSignal | undefined): Promise<Upload[]> {
    const uploads = new Map<string, Upload>()
    const watch = createPageWatch<Upload>(({ slug }) => slug)
    for (let number = 1, more = true; more; number += 1) {
      if (number > 1) watch.assertEnds()
      const page = await readUnspoilt({ page: number, ...(signal && { signal }) })
      watch.take(page.data, page.last_page)
      for (const upload of page.data) uploads.set(upload.slug, upload)
      const last = page.data.at(-1)
      const isLastPage = number >= page.last_page || page.current_page < number
      more = !isLastPage && last !== undefined && mayGoBackTo(last, intents, serviceClock.offset(clock.now()))
    }
    return [...uploads.values()]
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

  async function lookTwice(
    intents: readonly UploadIntent[],
    options: SettleOptions = {},
  ): Promise<readonly Settlement[]> {
    if (intents.length === 0) return []
    const startedAt = clock.now()
    const settlements = await look(intents, options)
    const open = intents.filter((_, index) => settlements[index]?.type !== 'stored')
    const endedAt = Math.max(...open.map((intent) => intent.endedAt ?? startedAt))
    if (open.length === 0 || startedAt - endedAt >= LAST_LOOK_AFTER_MS) return settlements
    await clock.sleep(Math.max(0, endedAt + LAST_LOOK_AFTER_MS - clock.now()), options.signal)
    const later = await look(open, options)
    return settlements.map((settlement) => (settlement.type === 'stored' ? settlement : (later.shift() ?? settlement)))
  }

  return lookTwice
}

/** For intents that are no upload on its way any more: what stays open of them goes on to be a rival of others. */
export function createSettleLeftOpen(settle: Settle, registry: UploadRegistry): Settle {
  return async (intents, options) => {
    registry.takenUp(intents)
    let open = intents
    try {
      const settlements = await settle(intents, options)
      open = intents.filter((_, index) => settlements[index]?.type === 'ambiguous')
      return settlements
    } finally {
      for (const intent of open) registry.leftOpen(intent)
    }
  }
}
