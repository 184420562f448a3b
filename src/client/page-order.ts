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
  /** The last upload that was read before. */
  readonly after: Upload | undefined
}

/**
 * Decides which page of a list is read next, so that none is missed that stays, though others are deleted meanwhile: each
 * deletion pulls later uploads onto the page before. How far the total falls between two pages bounds how far they move.
 * Pure: knows no service.
 */
export function createPageOrder() {
  let [number, highest, again, perPage] = [1, 0, 0, 1]
  let total: number | undefined
  /** So many of the newest uploads have been read for certain. */
  let complete = 0
  let last: Upload | undefined
  let held: HeldPage | undefined
  let [isOver, isMissing, grows] = [false, false, false]

  const start = (of: number) => (of - 1) * perPage
  const after = (count: number) => Math.floor(count / perPage) + 1
  const mayAgain = () => number > 1 && again < MOST_AGAIN + MOST_AGAIN_PER_PAGE * highest

  function count(page: UploadPage): void {
    if (number === 1) perPage = page.per_page > 0 ? page.per_page : Math.max(page.data.length, 1)
    const fallen = Math.max((total ?? page.total) - page.total, 0)
    grows ||= page.total > (total ?? page.total)
    total = page.total
    complete = Math.max(complete - fallen, 0)
    if (held) held = { ...held, end: Math.max(held.end - fallen, 0) }
  }

  /** @returns the pages that follow each other without a gap */
  function joined(page: UploadPage): readonly PlacedPage[] {
    const here = { number, page }
    complete = start(number + 1)
    last = page.data.at(-1)
    highest = Math.max(highest, number)
    const next = held?.number === number + 1 && adjoins(page, held, grows) ? held : undefined
    if (held && held.number <= number + 1) held = undefined
    if (next === undefined) return [here]
    complete = next.end
    last = next.page.data.at(-1)
    highest = Math.max(highest, next.number)
    return [here, next]
  }

  return {
    /** The page to read next; undefined once the list has been read. */
    next: (): number | undefined => (isOver ? undefined : number),
    /** @returns the pages to hand on, in the list's order */
    took(page: UploadPage): readonly PlacedPage[] {
      count(page)
      if (start(number) > complete && mayAgain()) {
        again += 1
        held = { number, page, end: start(number + 1), after: last }
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
  }
}

/**
 * Whether no upload lies between a page and the next one, which was read before it. What the two share proves it. Where the
 * list does not grow, an end that is where it was proves it too: a list changed by deletions alone only moves one way.
 */
function adjoins({ data, total }: UploadPage, next: HeldPage, grows: boolean): boolean {
  const end = data.at(-1)?.slug
  if (next.page.data.some(({ slug }) => slug === end)) return true
  return !grows && (total === next.page.total || end === next.after?.slug)
}
