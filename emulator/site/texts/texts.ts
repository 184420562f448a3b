import { english, type Texts } from './en.ts'
import type { Language } from './language.ts'
import { romanian } from './ro.ts'

export type { Texts } from './en.ts'

/** The site's texts by language; a missing one does not compile. */
export const texts: Readonly<Record<Language, Texts>> = { en: english, ro: romanian }
