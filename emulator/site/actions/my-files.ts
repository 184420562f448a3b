import type { HttpReply } from '../../http-types.ts'
import type { Html } from '../html/html.ts'
import { notice } from '../pages/form.ts'
import { landingPage } from '../pages/landing.ts'
import { filesPage } from '../pages/my-files.ts'
import { messageOf, type Place, type SiteParts } from '../place.ts'
import type { SignedIn } from '../visitor.ts'
import { askedPage, pageOf } from './list-page.ts'

/** The account's own files; for a visitor who is not signed in, what the service is. */
export const landingPlace: Place = {
  get({ visitor }, site) {
    const { session } = visitor
    if (session === undefined) return landingPage(visitor, site.settings.current.max_file_size)
    const message = messageOf(visitor, ['uploaded', 'deleted'])
    return myFilesPage({ ...visitor, session }, site, {
      page: askedPage(visitor),
      ...(message !== undefined && { notice: notice(visitor.say.files[message]) }),
    })
  },
}

interface ShownFiles {
  /** From 1; a page beyond the last shows the last. */
  readonly page: number
  readonly notice?: Html
}

export function myFilesPage(visitor: SignedIn, { service, settings }: SiteParts, shown: ShownFiles): HttpReply {
  const { accountId } = visitor.session
  const slice = pageOf(shown.page, (page, perPage) => service.uploads.page(accountId, page, perPage))
  return filesPage(visitor, { ...shown, ...slice, maxFileSizeBytes: settings.current.max_file_size })
}
