import { pageOfUploads } from '../list-page.ts'
import { filesPage, landingPage } from '../pages/landing.ts'
import { fromField, type Place, placeToReturnTo, redirect } from '../place.ts'
import { languageOf } from '../texts/language.ts'
import { isSignedIn } from '../visitor.ts'

/** The account's own files; for a visitor who is not signed in, what the service is. */
const landing: Place = {
  get({ visitor }, site) {
    const { max_file_size: maxBytes } = site.settings.current
    return isSignedIn(visitor)
      ? filesPage(visitor, pageOfUploads(visitor, site), maxBytes)
      : landingPage(visitor, maxBytes)
  },
}

/** The switch of the language; the visitor comes back to the page it was on. */
const language: Place = {
  get: ({ visitor }) => redirect(visitor, { place: 'landing' }),
  post({ visitor, form }) {
    const chosen = languageOf(form.get('language') ?? '') ?? visitor.language
    const keep = { 'Set-Cookie': visitor.cookies.keepLanguage(chosen) }
    return redirect(visitor, placeToReturnTo(form.get(fromField)), keep)
  },
}

export const landingPlaces = { landing, language }
