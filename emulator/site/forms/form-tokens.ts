import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Session } from '../../service/sign-in/sessions.ts'

type FormSession = Pick<Session, 'formSecret'>

/** The field of every form. */
export const tokenField = 'token'

const nonceBytes = 12
const digestBytes = 32

/** Visitors without a session have no form that may be used only once, so that equal runs show them equal pages. */
const visitorNonce = Buffer.alloc(nonceBytes)

/**
 * Tokens that prove that a form comes from a page that this session was shown. A token ends with its session; those of
 * visitors without one end with the secret.
 * @param visitorSecret default: random
 */
export function createFormTokens(visitorSecret: string = randomBytes(32).toString('hex')) {
  const digest = (nonce: Buffer, session: FormSession | undefined) =>
    createHmac('sha256', session?.formSecret ?? visitorSecret)
      .update(nonce)
      .digest()

  return {
    /** @param session undefined for visitors without one */
    issue(session: FormSession | undefined) {
      const nonce = session === undefined ? visitorNonce : randomBytes(nonceBytes)
      return Buffer.concat([nonce, digest(nonce, session)]).toString('base64url')
    },
    isValid(token: string, session: FormSession | undefined) {
      const bytes = Buffer.from(token.slice(0, 100), 'base64url')
      if (bytes.length !== nonceBytes + digestBytes) return false
      return timingSafeEqual(bytes.subarray(nonceBytes), digest(bytes.subarray(0, nonceBytes), session))
    },
  }
}
