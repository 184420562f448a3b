import type { UploadRecord } from '../storage/record-types.ts'
import type { RecordStore } from '../storage/records.ts'
import { type Result, refused, succeeded } from './refusal.ts'

/** The most characters of a title. */
export const maxTitle = 255

/** Line breaks and what moves a terminal's cursor; a title has one line. */
const control = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** A text with nothing but these shows nothing. */
const invisible = /^[\p{Cf}\p{Z}]*$/u

type TitleRefusal =
  | { readonly kind: 'upload-not-found'; readonly slug: string }
  | { readonly kind: 'too-long' | 'control-character' }

/** What accounts change about their uploads on the site. */
export function createUploadEdits({ uploads }: Pick<RecordStore, 'uploads'>) {
  return {
    /** @param given a text without a visible character clears the title */
    setTitle(accountId: number, slug: string, given: string): Result<UploadRecord, TitleRefusal> {
      if (uploads.findBySlug(slug)?.accountId !== accountId) return refused({ kind: 'upload-not-found', slug })
      const trimmed = given.trim()
      const title = invisible.test(trimmed) ? null : trimmed
      if (title !== null && control.test(title)) return refused({ kind: 'control-character' })
      if (title !== null && isLonger(title, maxTitle)) return refused({ kind: 'too-long' })
      const changed = uploads.update(slug, { title })
      return changed === undefined ? refused({ kind: 'upload-not-found', slug }) : succeeded(changed)
    },
  }
}

/** Counts characters, of which some take two units of a JavaScript text. */
function isLonger(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false
  return text.length > 2 * maxLength || Array.from(text).length > maxLength
}
