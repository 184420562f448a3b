import { randomBytes } from 'node:crypto'
import type { Html } from './html/html.ts'

/** What a form leaves for the page that follows it: that page is part of the form's answer, and no visit of its own. */
export interface PageNote {
  readonly notice?: Html | undefined
}

export const noteField = 'note'

/** So that pages that are never asked for do not fill the memory. */
const mostKept = 1_000

export function createNotes() {
  const kept = new Map<string, PageNote>()
  return {
    /** @returns the note's name, for the address of the page: no other visitor can guess it */
    leave(note: PageNote): string {
      const name = randomBytes(12).toString('base64url')
      kept.set(name, note)
      const [oldest] = kept.keys()
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
      return name
    },
    /** Gives a note once: reloading its page says nothing again. */
    take(name: string): PageNote | undefined {
      const note = kept.get(name)
      kept.delete(name)
      return note
    },
  }
}
