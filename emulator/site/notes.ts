import { randomBytes } from 'node:crypto'
import { keepLatest } from '../service/tries.ts'
import type { Html } from './html/html.ts'

export const noteField = 'note'

/** What forms say on the page that follows them, which is part of the form's answer, and no visit of its own. */
export function createNotes() {
  const kept = new Map<string, Html>()
  return {
    /** @returns the note's name, for the address of the page: no other visitor can guess it */
    leave(note: Html): string {
      const name = randomBytes(12).toString('base64url')
      keepLatest(kept, name, note)
      return name
    },
    /** Gives a note once: reloading its page says nothing again. */
    take(name: string): Html | undefined {
      const note = kept.get(name)
      kept.delete(name)
      return note
    },
  }
}
