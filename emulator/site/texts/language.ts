import { english, type Texts } from './en.ts'
import type { Language } from './quantities.ts'
import { romanian } from './ro.ts'

export type { Language, Texts }

/** The site's texts by language; a missing one does not compile. */
export const texts: Readonly<Record<Language, Texts>> = { en: english, ro: romanian }

/** The visitor's preferred language; English by default. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const wishes = (acceptLanguage ?? '').split(',').flatMap((wish) => {
    const [range = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase())
    const language = range === '*' ? 'en' : languageOf(range.split('-')[0] ?? '')
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
    return language !== undefined && quality > 0 ? { language, quality } : []
  })
  const [best] = wishes.sort((one, other) => other.quality - one.quality)
  return best?.language ?? 'en'
}

/** The language that a cookie or a form names; undefined if the site does not speak it. */
export function languageOf(name: string): Language | undefined {
  return name === 'en' || name === 'ro' ? name : undefined
}
