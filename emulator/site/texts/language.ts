/** The site's languages; the API is English only (spec 1). */
export type Language = 'en' | 'ro'

/** The visitor's preferred language; English by default. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const wishes = (acceptLanguage ?? '').split(',').map(parseWish)
  const [best] = wishes.filter(({ quality }) => quality > 0).sort((one, other) => other.quality - one.quality)
  return best?.language ?? 'en'
}

interface Wish {
  readonly language: Language | undefined
  /** 0 for an unsupported language. */
  readonly quality: number
}

function parseWish(wish: string): Wish {
  const [range = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase())
  const language = languageOfRange(range)
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return { language, quality: language === undefined ? 0 : Number(quality ?? 1) || 0 }
}

function languageOfRange(range: string): Language | undefined {
  if (range === '*') return 'en'
  const [primary = ''] = range.split('-')
  return languageOf(primary)
}

/** The language that a cookie or a form names; undefined if the site does not speak it. */
export function languageOf(name: string): Language | undefined {
  return name === 'en' || name === 'ro' ? name : undefined
}
