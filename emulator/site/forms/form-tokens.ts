import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Tokens that prove that a form comes from a page that this session was shown. */
export interface FormTokens {
  /** @param session the session's id; undefined for visitors without one */
  issue(session: string | undefined): string
  isValid(token: string, session: string | undefined): boolean
}

/** The field of every form. */
export const tokenField = 'token'

const nonceBytes = 12
const digestBytes = 32

/** A token ends with its session; those of visitors without one end with this process. */
export function createFormTokens(): FormTokens {
  const visitorSecret = randomBytes(32).toString('hex')
  const digest = (nonce: Buffer, session: string | undefined) =>
    createHmac('sha256', session ?? visitorSecret)
      .update('form ')
      .update(nonce)
      .digest()

  return {
    issue(session) {
      const nonce = randomBytes(nonceBytes)
      return Buffer.concat([nonce, digest(nonce, session)]).toString('base64url')
    },
    isValid(token, session) {
      const bytes = Buffer.from(token.slice(0, 100), 'base64url')
      if (bytes.length !== nonceBytes + digestBytes) return false
      return timingSafeEqual(bytes.subarray(nonceBytes), digest(bytes.subarray(0, nonceBytes), session))
    },
  }
}
