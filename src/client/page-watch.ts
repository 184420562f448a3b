import { UnexpectedResponseError } from './errors.ts'

/** Uploads made while the list is read push others onto the next page, so that one or two pages may bring nothing new. */
const MOST_PAGES_WITHOUT_NEWS = 3
/** How many pages a list may grow while it is read. */
const MOST_PAGES_MORE = 100

/** Watches the pages of a list as they are read, and stops one that has no end. */
export interface PageWatch<T> {
  /**
   * @param lastPage the number of pages by this page; undefined if it does not say
   * @returns the items that no page before had
   */
  take(items: readonly T[], lastPage: number | undefined): readonly T[]
  /** The same without counting the page. */
  fresh(items: readonly T[]): readonly T[]
  /** To be called before each further page. @throws UnexpectedResponseError if the list seems to have no end */
  assertEnds(): void
}

export function createPageWatch<T>(keyOf: (item: T) => string): PageWatch<T> {
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
    fresh,
    take(items, lastPage) {
      const news = fresh(items)
      if (pages === 0) firstLastPage = lastPage
      pages += 1
      withoutNews = news.length > 0 ? 0 : withoutNews + 1
      return news
    },
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
