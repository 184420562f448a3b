import { landingPage } from '../pages/landing.ts'
import { filesPage } from '../pages/my-files.ts'
import type { Place } from '../place.ts'
import { askedPage, pageOf } from './list-page.ts'

/** The account's own files; for a visitor who is not signed in, what the service is. */
export const landingPlace: Place = {
  get({ visitor }, site) {
    const { session } = visitor
    if (session === undefined) return landingPage(visitor, site.settings.current.max_file_size)
    const { accountId } = session
    const slice = pageOf(askedPage(visitor), (page, perPage) => site.service.uploads.page(accountId, page, perPage))
    return filesPage(visitor, { ...slice, maxFileSizeBytes: site.settings.current.max_file_size })
  },
}
