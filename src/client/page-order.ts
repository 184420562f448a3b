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
export function createPageOrder() {
  let [number, highest, again, perPage] = [1, 0, 0, 1]
  let total: number | undefined
  /** The first total, less all that it has fallen by since. */
  let least = 0
  /** So many of the newest uploads have been read for certain. */
  let complete = 0
  let last: Upload | undefined
  let held: HeldPage | undefined
  /** The last page that did not certainly follow on the one before, and is read again for that. */
  let doubted = 0
  let [isOver, isMissing, grows] = [false, false, false]

  const start = (of: number) => (of - 1) * perPage
  const after = (count: number) => Math.floor(count / perPage) + 1
  const mayAgain = () => number > 1 && again < MOST_AGAIN + MOST_AGAIN_PER_PAGE * highest

  /** @returns the total before */
  function count(page: UploadPage): number {
    if (total === undefined) least = page.total
    const before = total ?? page.total
    if (number === 1) perPage = perPageOf(page)
    const fallen = Math.max(before - page.total, 0)
    grows ||= page.total > before
    total = page.total
    least -= fallen
    complete = Math.max(complete - fallen, 0)
    if (held) held = { ...held, end: Math.max(held.end - fallen, 0) }
    return before
  }

  /** What may be is taken for certain the second time: the list may never keep still. */
  function follows(page: UploadPage, next: HeldPage): boolean {
    if (adjoins(page, next)) return true
    if (!grows && doubted === next.number && mayAdjoin(page, next)) return true
    doubted = next.number
    return false
  }

  /** @returns the pages that follow each other without a gap */
  function joined(page: UploadPage): readonly PlacedPage[] {
    const here = { number, page }
    complete = start(number + 1)
    last = page.data.at(-1)
    highest = Math.max(highest, number)
    const behind = held?.number === number + 1 ? held : undefined
    if (held && held.number <= number + 1) held = undefined
    if (behind === undefined) return [here]
    // One that may not follow is read again, and shows what it has all the same.
    if (follows(page, behind)) {
      complete = behind.end
      last = behind.page.data.at(-1)
      highest = Math.max(highest, behind.number)
    }
    return [here, behind]
  }

  return {
    /** The page to read next; undefined once the list has been read. */
    next: (): number | undefined => (isOver ? undefined : number),
    /** @returns the pages to hand on, in the list's order */
    took(page: UploadPage): readonly PlacedPage[] {
      const totalBefore = count(page)
      if (start(number) > complete && mayAgain()) {
        again += 1
        held = { number, page, end: start(number + 1), after: last, totalBefore }
        number = Math.min(after(complete), number - 1)
        return []
      }
      isMissing ||= start(number) > complete
      const pages = joined(page)
      // A service without pages answers with another page than the one asked for.
      const isLast = page.data.length === 0 || number >= page.last_page || page.current_page < number
      number = after(complete)
      isOver = isLast || number > page.last_page
      return pages
    },
    /** The service has no such page any more. @returns false where the list is not to be read again for that */
    gone() {
      if (!mayAgain()) return false
      again += 1
      number -= 1
      return true
    },
    /** Whether the total fell too often for all pages to be read again. */
    mayMiss: () => isMissing,
    /** Whether fewer were read than have to be in the list. */
    isShort: (read: number) => read < least,
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
