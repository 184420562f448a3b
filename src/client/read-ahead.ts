import type { Upload, UploadPage } from '../protocol/resources.ts'
import { anySignal, over } from '../system/signals.ts'
import { perPageOf } from './page-order.ts'

/** @param signal aborts once the page is not wanted any more */
export type ReadPage = (page: number, signal: AbortSignal | undefined) => Promise<UploadPage>

export interface ReadAheadOptions {
  /**
   * So many pages at most are asked for before those in front of them have come, and no more than have come already: a
   * reader that stops early has spent a unit on each. Default: 0.
   */
  readonly ahead?: number
  /** So many uploads are wanted: no page behind them is asked for ahead. Default: all. */
  readonly most?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads pages of a list, several at once, as if each were read after the one before.
 *
 * Nothing tells in which order the service looked at pages that were under way together. While all state one total, each
 * deletion between two looks goes with a new upload in front, so uploads only move towards the end. If one moves over the
 * end of a page that is looked at later than the next page, both lack it; but then another one before it moves over the end
 * of a page that is looked at sooner than the next page, and is on both (unless 50 are added in that time). So the first page
 * with an upload that was read already is the last one that counts. One that states another total, or that fails, is read
 * again alone. Nothing is read ahead from then on.
 */
export function createReadAhead(readPage: ReadPage, isKnown: (upload: Upload) => boolean, options: ReadAheadOptions) {
  const { most = Number.POSITIVE_INFINITY, signal } = options
  const asked = new Map<number, Promise<UploadPage>>()
  const end = new AbortController()
  let [ahead, came, lastPage] = [options.ahead ?? 0, 0, 1]
  let total: number | undefined
  const untilEnd = ahead > 0 ? anySignal(signal ? [signal, end.signal] : [end.signal]) : undefined

  function askAhead(number: number): void {
    const last = Math.min(number + Math.min(ahead, came), lastPage)
    for (let next = number + 1; next <= last; next += 1) {
      if (asked.has(next)) continue
      const page = readPage(next, untilEnd)
      // It counts when its turn comes.
      page.catch(() => {})
      asked.set(next, page)
    }
  }

  /** Nothing is read ahead any more. */
  function stop(): void {
    ahead = 0
    asked.clear()
    end.abort(over)
  }

  return {
    /** @throws what `readPage` throws for a page that is read alone */
    async read(number: number): Promise<UploadPage> {
      const early = asked.get(number)
      asked.delete(number)
      const asking = early ?? readPage(number, signal)
      askAhead(number)
      const page = await asking.catch((error: unknown) => {
        stop()
        if (early === undefined) throw error
        return undefined
      })
      total ??= page?.total
      if (page === undefined || page.total !== total) {
        stop()
        return page !== undefined && early === undefined ? page : await readPage(number, signal)
      }
      if (page.data.some(isKnown)) stop()
      came += 1
      lastPage = Math.min(page.last_page, Math.ceil(Math.min(page.total, most) / perPageOf(page)))
      return page
    },
    stop,
  }
}
