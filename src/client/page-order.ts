import type { Upload, UploadPage } from '../protocol/resources.ts'

/** How many pages of a list are read again at least, and for each page of the list. */
const [MOST_AGAIN, MOST_AGAIN_PER_PAGE] = [20, 3]

/** A page to hand on, and its place in the list. */
export interface PlacedPage {
  readonly number: number
  readonly page: UploadPage
}

/** A page that was read before uploads that may have moved in front of it. */
interface HeldPage extends PlacedPage {
  /** So many of the newest uploads have been read, this page's included, once none in front of it is missing. */
  readonly end: number
  /** The last upload that was read before, and the total of that moment. */
  readonly after: Upload | undefined
  readonly totalBefore: number
}

/**
 * Decides which page of a list is read next, so that none is missed that stays, though others are deleted meanwhile: each
 * deletion pulls later uploads onto the page before. How far the total falls between two pages bounds how far they move.
 * Pure: knows no service.
 */
export class PageOrder {
  #number = 1
  #highest = 0
  /** How many pages were read again. */
  #again = 0
  #perPage = 1
  #total: number | undefined
  /** The first total, less all that it has fallen by since. */
  #least = 0
  /** So many of the newest uploads have been read for certain. */
  #complete = 0
  #last: Upload | undefined
  #held: HeldPage | undefined
  /** The last page that did not certainly follow on the one before, and is read again for that. */
  #doubted = 0
  #isOver = false
  #isMissing = false
  #grows = false

  /** The page to read next; undefined once the list has been read. */
  next(): number | undefined {
    return this.#isOver ? undefined : this.#number
  }

  /** @returns the pages to hand on, in the list's order */
  took(page: UploadPage): readonly PlacedPage[] {
    const number = this.#number
    const totalBefore = this.#count(page)
    const isGap = this.#start(number) > this.#complete
    if (isGap && this.#mayAgain()) {
      this.#again += 1
      this.#held = { number, page, end: this.#start(number + 1), after: this.#last, totalBefore }
      this.#number = Math.min(this.#afterComplete(), number - 1)
      return []
    }
    this.#isMissing ||= isGap
    const pages = this.#joined(page)
    // A service without pages answers with another page than the one asked for.
    const isLast = page.data.length === 0 || number >= page.last_page || page.current_page < number
    this.#number = this.#afterComplete()
    this.#isOver = isLast || this.#number > page.last_page
    return pages
  }

  /** The service has no such page any more. @returns false where the list is not to be read again for that */
  gone(): boolean {
    if (!this.#mayAgain()) return false
    this.#again += 1
    this.#number -= 1
    return true
  }

  /** Whether the total fell too often for all pages to be read again. */
  mayMiss(): boolean {
    return this.#isMissing
  }

  /** Whether fewer were read than have to be in the list. */
  isShort(read: number): boolean {
    return read < this.#least
  }

  #start(number: number): number {
    return (number - 1) * this.#perPage
  }

  #afterComplete(): number {
    return Math.floor(this.#complete / this.#perPage) + 1
  }

  #mayAgain(): boolean {
    return this.#number > 1 && this.#again < MOST_AGAIN + MOST_AGAIN_PER_PAGE * this.#highest
  }

  /** @returns the total before */
  #count(page: UploadPage): number {
    const before = this.#total ?? page.total
    if (this.#total === undefined) this.#least = page.total
    if (this.#number === 1) this.#perPage = perPageOf(page)
    const fallen = Math.max(before - page.total, 0)
    this.#grows ||= page.total > before
    this.#total = page.total
    this.#least -= fallen
    this.#complete = Math.max(this.#complete - fallen, 0)
    if (this.#held) this.#held = { ...this.#held, end: Math.max(this.#held.end - fallen, 0) }
    return before
  }

  /** @returns the pages that follow each other without a gap */
  #joined(page: UploadPage): readonly PlacedPage[] {
    const here = { number: this.#number, page }
    this.#readTo(here, this.#start(here.number + 1))
    const held = this.#held
    if (held && held.number <= here.number + 1) this.#held = undefined
    if (held?.number !== here.number + 1) return [here]
    // One that may not follow is read again, and shows what it has all the same.
    if (this.#follows(page, held)) this.#readTo(held, held.end)
    return [here, held]
  }

  #readTo({ number, page }: PlacedPage, complete: number): void {
    this.#complete = complete
    this.#last = page.data.at(-1)
    this.#highest = Math.max(this.#highest, number)
  }

  /** What may be is taken for certain the second time: the list may never keep still. */
  #follows(page: UploadPage, next: HeldPage): boolean {
    if (adjoins(page, next)) return true
    if (!this.#grows && this.#doubted === next.number && mayAdjoin(page, next)) return true
    this.#doubted = next.number
    return false
  }
}

/** How many uploads a full page has. */
export function perPageOf({ per_page, data }: UploadPage): number {
  return per_page > 0 ? per_page : Math.max(data.length, 1)
}

/**
 * Whether no upload lies between a page and the next one, which was read before it. What the two share proves it. So does an
 * upload that has moved as far as the total has fallen: then all that were deleted lay in front of it, and none behind.
 */
function adjoins({ data, total }: UploadPage, { page, after, totalBefore }: HeldPage): boolean {
  const end = data.at(-1)?.slug
  if (page.data.some(({ slug }) => slug === end)) return true
  return total <= page.total && after !== undefined && data.at(total - totalBefore - 1)?.slug === after.slug
}

/**
 * Whether that is so if no upload has come meanwhile: a list changed by deletions alone only moves one way, and neither its
 * end nor the upload where the next page began has moved.
 */
function mayAdjoin({ data, total }: UploadPage, { page, after }: HeldPage): boolean {
  return total === page.total || data.at(-1)?.slug === after?.slug
}
