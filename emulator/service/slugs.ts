import { randomUUID } from 'node:crypto'
import type { Settings } from '../settings/settings.ts'
import { lettersAndDigits, randomText } from './random-text.ts'

/** A slug nobody can guess. */
export function newSlug(style: Settings['slug_style']): string {
  switch (style) {
    case 'alnum10':
      return randomText(10)
    case 'nanoid21':
      return randomText(21, `${lettersAndDigits}_-`)
    case 'uuid':
      return randomUUID()
  }
}
