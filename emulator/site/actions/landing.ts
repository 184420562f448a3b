import { feedPage } from '../pages/file-list.ts'
import { filesPage, landingPage } from '../pages/landing.ts'
import { fromField, type Place, placeToReturnTo, redirect } from '../place.ts'
import { languageOf } from '../texts/language.ts'
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

/** Everyone's latest files; each one shown to a visitor adds a feed view to its account (spec 2.3). */
export const feedPlace: Place = {
  get({ visitor }, { service: { feed } }) {
    const uploads = feed.latest()
    if (visitor.isLooking) feed.countViews(uploads)
    return feedPage(visitor, uploads)
  },
}

/** The switch of the language; the visitor comes back to the page it was on. */
export const languagePlace: Place = {
  get: ({ visitor }) => redirect(visitor, { place: 'landing' }),
  post({ visitor, form }, { cookies }) {
    const language = languageOf(form.get('language') ?? '') ?? visitor.language
    const keep = { 'Set-Cookie': cookies.keepLanguage(visitor.request, language) }
    return redirect(visitor, placeToReturnTo(form.get(fromField)), keep)
  },
}
