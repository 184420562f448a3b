import type { Language } from './language.ts'

/** The site's texts in one language. */
export interface Messages {
  readonly tagline: string
  readonly howToUpload: string
  readonly accepted: string
  /** Follows the list of types; `size` includes its unit. */
  upTo(size: string): string
  readonly keyNote: string
  readonly image: string
  readonly video: string
  readonly type: string
  readonly size: string
  readonly views: string
  readonly uploaded: string
  readonly download: string
  readonly embed: string
  readonly notFound: string
  readonly notFoundExplained: string
  readonly methodNotAllowed: string
  readonly methodNotAllowedExplained: string
}

export const messages: Readonly<Record<Language, Messages>> = {
  en: {
    tagline: 'Images and videos, uploaded through an API',
    howToUpload: 'Upload a file',
    accepted: 'Accepted files',
    upTo: (size) => `up to ${size}`,
    keyNote: 'Every request to the API carries the key of an account.',
    image: 'Image',
    video: 'Video',
    type: 'Type',
    size: 'Size',
    views: 'Views',
    uploaded: 'Uploaded',
    download: 'Download',
    embed: 'Embeddable page',
    notFound: 'Not found',
    notFoundExplained: 'There is no file at this address. It may have been deleted.',
    methodNotAllowed: 'Not possible',
    methodNotAllowedExplained: 'This address can only be read.',
  },
  ro: {
    tagline: 'Imagini și videoclipuri, încărcate printr-un API',
    howToUpload: 'Încarcă un fișier',
    accepted: 'Fișiere acceptate',
    upTo: (size) => `până la ${size}`,
    keyNote: 'Fiecare cerere către API poartă cheia unui cont.',
    image: 'Imagine',
    video: 'Videoclip',
    type: 'Tip',
    size: 'Mărime',
    views: 'Vizualizări',
    uploaded: 'Încărcat',
    download: 'Descarcă',
    embed: 'Pagină pentru încorporare',
    notFound: 'Nu a fost găsit',
    notFoundExplained: 'La această adresă nu există niciun fișier. Poate a fost șters.',
    methodNotAllowed: 'Nu este posibil',
    methodNotAllowedExplained: 'Această adresă poate fi doar citită.',
  },
}
