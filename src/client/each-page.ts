import type { Upload, UploadPage } from '../protocol/resources.ts'
import { NotFoundError, UnexpectedResponseError } from './errors.ts'
import { createPageOrder } from './page-order.ts'
import { createReadAhead, type ReadAheadOptions, type ReadPage } from './read-ahead.ts'

/** Uploads may be missing among those that were read: more were deleted meanwhile than reading again can follow. */
export class ShiftingListError extends UnexpectedResponseError {
  constructor() {
    super('Uploads may be missing: others were deleted all the time while the list was read', {
      hint: 'Those that were read are real; read the list again once nothing is being deleted',
    })
  }
}

/**
 * The uploads of each page, newest first, without those seen before: pages are numbered from the newest, so a new upload
 * pushes others onto the next page, and a deletion pulls others onto the page before.
 *
 * @throws ShiftingListError after the last page; UnexpectedResponseError for a list without an end
 */
export async function* eachPage(
  readPage: ReadPage,
  options: ReadAheadOptions = {},
): AsyncGenerator<readonly Upload[], void, undefined> {
  const watch = createPageWatch<Upload>(({ slug }) => slug)
  const pages = createReadAhead(readPage, watch.has, options)
  try {
    yield* inOrder(pages.read, watch)
  } finally {
    pages.stop()
  }
}

async function* inOrder(readPage: (page: number) => Promise<UploadPage>, watch: PageWatch<Upload>) {
  const order = createPageOrder()
  let highest = 0
  for (let number = order.next(); number !== undefined; number = order.next()) {
    let read: UploadPage
    try {
      read = await readPage(number)
    } catch (error) {
      // The list may have become shorter: the page before tells.
      if (error instanceof NotFoundError && order.gone()) continue
      throw error
    }
    for (const { number: place, page } of order.took(read)) {
      // A page that is read again tells nothing of the list's end.
      yield place > highest ? watch.take(page.data, page.last_page) : watch.fresh(page.data)
      highest = Math.max(highest, place)
    }
    if (order.next() !== undefined) watch.assertEnds()
  }
  if (order.mayMiss()) throw new ShiftingListError()
}

/** Uploads made while the list is read push others onto the next page, so that one or two pages may bring nothing new. */
const MOST_PAGES_WITHOUT_NEWS = 3
/** How many pages a list may grow while it is read. */
const MOST_PAGES_MORE = 100

type PageWatch<T> = ReturnType<typeof createPageWatch<T>>

/** Watches the pages of a list as they are read, and stops one that has no end. */
export function createPageWatch<T>(keyOf: (item: T) => string) {
  const seen = new Set<string>()
  let pages = 0
  let withoutNews = 0
  let firstLastPage: number | undefined
  const fresh = (items: readonly T[]) =>
    items.filter((item) => {
      const size = seen.size
      return seen.add(keyOf(item)).size > size
    })

  return {
    /**
     * @param lastPage the number of pages by this page; undefined if it does not say
     * @returns the items that no page before had
     */
    take(items: readonly T[], lastPage: number | undefined): readonly T[] {
      const news = fresh(items)
      if (pages === 0) firstLastPage = lastPage
      pages += 1
      withoutNews = news.length > 0 ? 0 : withoutNews + 1
      return news
    },
    /** The same without counting the page. */
    fresh,
    /** Whether a page before had the item. */
    has: (item: T) => seen.has(keyOf(item)),
    /** To be called before each further page. @throws UnexpectedResponseError if the list seems to have no end */
    assertEnds() {
      if (withoutNews >= MOST_PAGES_WITHOUT_NEWS) throw endless(`${withoutNews} pages in a row brought nothing new`)
      if (firstLastPage !== undefined && pages >= firstLastPage + MOST_PAGES_MORE) {
        throw endless(`its first page counted ${firstLastPage} pages, and ${pages} have been read`)
      }
    },
  }
}

function endless(why: string): UnexpectedResponseError {
  return new UnexpectedResponseError(`The list has no end: ${why}`, {
    hint: 'The uploads read so far are real; the service has to correct its pages',
  })
}
