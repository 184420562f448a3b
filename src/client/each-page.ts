import type { Upload, UploadPage } from '../protocol/resources.ts'
import { NotFoundError, UnexpectedResponseError } from './errors.ts'
import { createPageOrder } from './page-order.ts'
import { createPageWatch } from './page-watch.ts'

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
  readPage: (page: number) => Promise<UploadPage>,
): AsyncGenerator<readonly Upload[], void, undefined> {
  const order = createPageOrder()
  const watch = createPageWatch<Upload>(({ slug }) => slug)
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
