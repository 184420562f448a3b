import { fromField, type Place, placeToReturnTo, redirect } from '../place.ts'
import { languageOf } from '../texts/language.ts'

/** The switch of the language; the visitor comes back to the page it was on. */
export const languagePlace: Place = {
  get: ({ visitor }) => redirect(visitor, { place: 'landing' }),
  post({ visitor, form }, { cookies }) {
    const language = languageOf(form.get('language') ?? '') ?? visitor.language
    const keep = { 'Set-Cookie': cookies.keepLanguage(visitor.request, language) }
    return redirect(visitor, placeToReturnTo(form.get(fromField)), keep)
  },
}
