import type { Upload, UploadPage } from '../protocol/resources.ts'
import { FileHostError, NoProofError, UnexpectedResponseError } from './errors.ts'

/** Uploads may be missing among those that were read. */
export class IncompleteListError extends NoProofError {
  constructor(why: string, hint: string) {
    super(`Uploads may be missing: ${why}`, { hint: `Those that were read are real; ${hint}` })
  }
}

/** The pages are not those that were asked for, or not all that the list counts. */
export class WrongPagesError extends IncompleteListError {
  constructor(why: string) {
    super(why, 'the service, or a cache before it, has to answer with each page that is asked for')
  }
}

/** @throws WrongPagesError for another page than the one asked for; in place of one beyond the last, services show any */
export function assertPage(asked: number, { current_page, last_page }: UploadPage): void {
  if (current_page === asked || asked > last_page) return
  throw new WrongPagesError(`page ${asked} was asked for, and page ${current_page} came`)
}

/**
 * The uploads of each page, newest first, without those seen before: pages are numbered from the newest, so a new upload
 * pushes others onto the next page, and a deletion pulls others onto the page before.
 *
 * @throws IncompleteListError after all that could be read; UnexpectedResponseError for a list without an end
 */
export async function* eachPage(
  readPage: (page: number) => Promise<UploadPage>,
): AsyncGenerator<readonly Upload[], void, undefined> {
  const walk = new ListWalk()
  for (let number = walk.next(); number !== undefined; number = walk.next()) {
    let read: UploadPage
    try {
      read = await readPage(number)
    } catch (error) {
      // The list may have become shorter: the page before tells.
      if (error instanceof FileHostError && error.status === 404 && walk.gone()) continue
      throw error
    }
    yield walk.took(read)
  }
  walk.assertWhole()
}

/** Uploads made while the list is read push others onto the next page, so that one or two pages may bring nothing new. */
const MOST_PAGES_WITHOUT_NEWS = 3
/** How many pages a list may grow while it is read. */
const MOST_PAGES_MORE = 100
/** How many pages of a list are read again at least, and for each page of the list. */
const [MOST_AGAIN, MOST_AGAIN_PER_PAGE] = [20, 3]

/**
 * Decides which page of a list is read next, so that none is missed that stays, though others are deleted meanwhile: each
 * deletion pulls later uploads onto the page before, which is then read again. How far the total moves between two pages
 * bounds how far they move.
 */
class ListWalk {
  /** The slugs that were read. */
  readonly #seen = new Set<string>()
  #number = 1
  /** The highest page that was read. */
  #highest = 0
  #pagesWithoutNews = 0
  #firstLastPage = 0
  /** How many uploads came twice, because others were added in front of them. */
  #shifted = 0
  /** How many pages were read again. */
  #again = 0
  #perPage = 1
  #total: number | undefined
  /** The total when a page was gone last. */
  #goneAt: number | undefined
  /** The first total, less all that it has fallen by since. */
  #least = 0
  /** So many of the newest uploads have been read for certain. */
  #complete = 0
  /** A page was read behind a gap: what is in these places by now was on it. */
  #behindGap = { from: 0, to: 0 }
  #isOver = false
  #isMissing = false

  /** The page to read next; undefined once the list has been read. @throws UnexpectedResponseError if it has no end */
  next(): number | undefined {
    if (this.#isOver) return undefined
    this.#assertEnds()
    return this.#number
  }

  /** @returns what no page before had */
  took(page: UploadPage): readonly Upload[] {
    const number = this.#number
    // A service without pages has shown all it has.
    if (this.#seen.size < page.total) assertPage(number, page)
    this.#move(page)
    const news = this.#newsOf(page, number > this.#highest)
    this.#highest = Math.max(this.#highest, number)
    const place = { from: (number - 1) * this.#perPage, to: number * this.#perPage }
    const isGap = place.from > this.#complete
    const isAgain = isGap && this.#mayAgain()
    this.#isMissing ||= isGap && !isAgain
    if (isAgain) this.#behindGap = place
    else this.#complete = Math.max(this.#complete, place.to)
    const { from, to } = this.#behindGap
    if (this.#complete >= from) this.#complete = Math.max(this.#complete, to)
    this.#number = Math.floor(this.#complete / this.#perPage) + 1
    if (this.#number <= this.#highest) this.#again += 1
    // A service without pages answers with another page than the one asked for.
    const isLast = page.data.length === 0 || page.current_page < number
    this.#isOver = !isAgain && (isLast || this.#number > page.last_page)
    return news
  }

  /** The service has no such page any more. @returns false where the list is not to be read again for that */
  gone(): boolean {
    // Where the list has become no shorter, the page should be there.
    if (!this.#mayAgain() || this.#goneAt === this.#total) return false
    this.#again += 1
    this.#goneAt = this.#total
    this.#number -= 1
    return true
  }

  /** @throws IncompleteListError where uploads may be missing among those that were read */
  assertWhole(): void {
    if (this.#isMissing) {
      // The total fell too often for all pages to be read again.
      const why = 'others were deleted all the time while the list was read'
      throw new IncompleteListError(why, 'read the list again once nothing is being deleted')
    }
    const count = this.#seen.size
    // Where others are added in front and the total stays, as many were deleted.
    if (count + this.#shifted < this.#least) {
      throw new WrongPagesError(`the list ended after ${count} of ${this.#total}`)
    }
  }

  #mayAgain(): boolean {
    return this.#number > 1 && this.#again < MOST_AGAIN + MOST_AGAIN_PER_PAGE * this.#highest
  }

  /** Moves the ends of what was read for certain as far as the total has moved: deletions may lie anywhere. */
  #move(page: UploadPage): void {
    if (this.#total === undefined) [this.#least, this.#firstLastPage] = [page.total, page.last_page]
    if (this.#number === 1) this.#perPage = perPageOf(page)
    const grown = page.total - (this.#total ?? page.total)
    const fallen = Math.max(-grown, 0)
    this.#total = page.total
    this.#least -= fallen
    this.#complete = Math.max(this.#complete - fallen, 0)
    const { from, to } = this.#behindGap
    this.#behindGap = { from: from + Math.max(grown, 0), to: to - fallen }
  }

  #newsOf(page: UploadPage, isFirstReading: boolean): readonly Upload[] {
    const news = page.data.filter(({ slug }) => {
      const { size } = this.#seen
      return this.#seen.add(slug).size > size
    })
    // A page that is read again tells nothing of the list's end.
    if (isFirstReading) this.#pagesWithoutNews = news.length > 0 ? 0 : this.#pagesWithoutNews + 1
    // A full page of uploads that were read already was not shifted: it is another page.
    if (news.length > 0 || page.data.length < perPageOf(page)) this.#shifted += page.data.length - news.length
    return news
  }

  #assertEnds(): void {
    const [pages, first, withoutNews] = [this.#highest, this.#firstLastPage, this.#pagesWithoutNews]
    const isLong = pages > 0 && pages >= first + MOST_PAGES_MORE
    if (!isLong && withoutNews < MOST_PAGES_WITHOUT_NEWS) return
    const why = isLong
      ? `its first page counted ${first} pages, and ${pages} have been read`
      : `${withoutNews} pages in a row brought nothing new`
    throw new UnexpectedResponseError(`The list has no end: ${why}`, {
      hint: 'The uploads read so far are real; the service has to correct its pages',
    })
  }
}

/** How many uploads a full page has. */
function perPageOf({ per_page, data }: UploadPage): number {
  return per_page > 0 ? per_page : Math.max(data.length, 1)
}
