import type { Language } from './language.ts'

const english = {
  tagline: 'Images and videos, uploaded through an API',
  howToUpload: 'Upload a file',
  accepted: 'Accepted files',
  upTo: (size: string) => `up to ${size}`,
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
}

const romanian: typeof english = {
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
}

/** The site's texts by language. `upTo` follows the list of types; its size includes the unit. */
export const messages: Readonly<Record<Language, typeof english>> = { en: english, ro: romanian }
