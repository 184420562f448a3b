import { createHash } from 'node:crypto'
import type { FormFields } from './sent-form.ts'

/** The hidden field that says which saved text a form was made from. */
export const basisField = 'was'

/** A digest: a list of addresses may be long. */
export function basisOf(saved: string): string {
  return createHash('sha256').update(saved).digest('base64url').slice(0, 22)
}

/**
 * Whether a form would undo a change that its sender has not seen: something else was saved since it was made. Judge it
 * before anything else, and show the saved text: the form that is shown again is made from that. A form without the
 * field, as a program sends it, never is outdated.
 */
export function isOutdated(form: Pick<FormData, 'get'> | FormFields, saved: string, given: string): boolean {
  const basis = form.get(basisField)
  return basis !== null && given !== saved && basis !== basisOf(saved)
}
