import type { Clock } from '../../clock.ts'
import type { Upload, UploadPage } from '../../protocol/resources.ts'
import { UnexpectedResponseError } from '../errors.ts'
import type { CallOptions, Client } from '../options.ts'
import { createPageWatch } from '../page-watch.ts'
import type { Question, Timing } from './question.ts'
import { matchUploads, mayGoBackTo } from './reconcile.ts'
import type { ServiceClock } from './service-clock.ts'
import type { Settlement, UploadIntent } from './upload-intent.ts'
import type { OpenUpload, UploadRegistry } from './upload-registry.ts'

export interface SettleOptions extends CallOptions {
  /** The upload on its way that is being settled, which is no rival of itself. */
  readonly self?: OpenUpload
}

/** Finds out from the list what became of uploads. @throws FileHostError where it cannot be read */
export type Settle = (questions: readonly Question[], options?: SettleOptions) => Promise<readonly Settlement[]>

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
  async function look(questions: readonly Question[], { signal, self }: SettleOptions): Promise<Settlement[]> {
    const listed = await readBackTo(questions, signal)
    const others = registry.others(self)
    const asked = new Map([...others, ...questions].map((question) => [question.intent, question]))
    const timings = new Map([...asked].map(([intent, question]) => [intent, question.timing()]))
    const matches = matchUploads(
      questions.map(({ intent }) => intent),
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
  async function readBackTo(questions: readonly Question[], signal: AbortSignal | undefined): Promise<Upload[]> {
    const uploads = new Map<string, Upload>()
    const watch = createPageWatch<Upload>(({ slug }) => slug)
    for (let number = 1, more = true; more; number += 1) {
      if (number > 1) watch.assertEnds()
      const page = await readUnspoilt({ page: number, ...(signal && { signal }) })
      watch.take(page.data, page.last_page)
      for (const upload of page.data) uploads.set(upload.slug, upload)
      const last = page.data.at(-1)
      const isLastPage = number >= page.last_page || page.current_page < number
      serviceClock.listed(page.data)
      const timings = questions.map((question) => question.timing())
      more = !isLastPage && last !== undefined && mayGoBackTo(last, timings)
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

  return async (questions, options = {}) => {
    if (questions.length === 0) return []
    const isQuiet = questions.map((question) => question.quietMs() >= LAST_LOOK_AFTER_MS)
    const settlements = await look(questions, options)
    const open = questions.filter((_, index) => settlements[index]?.type !== 'stored')
    if (questions.every((question, index) => isQuiet[index] || !open.includes(question))) return settlements
    const quietMs = Math.min(...open.map((question) => question.quietMs()))
    await clock.sleep(Math.max(0, LAST_LOOK_AFTER_MS - quietMs), options.signal)
    const later = await look(open, options)
    return settlements.map((settlement) => (settlement.type === 'stored' ? settlement : (later.shift() ?? settlement)))
  }
}

const anyTime: Timing = {
  begun: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
  ended: Number.POSITIVE_INFINITY,
}

/** For intents that are no upload on its way any more: what stays open of them goes on to be a rival of others. */
export function createSettleLeftOpen(
  settle: Settle,
  registry: UploadRegistry,
  ask: (intent: UploadIntent) => Question,
): Client['settle'] {
  return async (intents, options) => {
    registry.takenUp(intents)
    const questions = intents.map(ask)
    let open: readonly Question[] = questions
    try {
      const settlements = await settle(questions, options)
      open = questions.filter((_, index) => settlements[index]?.type === 'ambiguous')
      return settlements
    } finally {
      for (const question of open) registry.leftOpen(question)
    }
  }
}
