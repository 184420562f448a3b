import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { DeriveHash } from './derive-hash.ts'

/** The first account's password where no other is given: no secret, everyone who starts an emulator knows it. */
export const publicPassword = 'password'

/** {@link publicPassword} as it is stored: with one fixed salt, so that it can be recognised without any work. */
const storedPublicPassword = 'scrypt$14$8$5$iKQebyMGHskyQdw_lND-rg$e4DKy5ey-ow29IiAnoKzbT2nyk_o8Jyp6ZB14JO33Z8'

// A password is stored as one of
//   <digest>                     the SHA-256 of a generated password, which has 95 bits
//   chosen$<digest>              the SHA-256 of a password that a person chose: to be replaced soon
//   scrypt$14$8$5$<salt>$<hash>  scrypt of the digest, so that a digest can be replaced without the password
// An account for a test must cost nothing, and scrypt takes a third of a second.

/** With derive-hash.ts's cost: log2 of N, r and p. */
const scryptPrefix = 'scrypt$14$8$5$'
const chosenPrefix = 'chosen$'

/** What to store for a new password. Costs nothing. */
export function storedPassword(password: string, { isChosen }: { readonly isChosen: boolean }): string {
  if (password === publicPassword) return storedPublicPassword
  return (isChosen ? chosenPrefix : '') + hash('sha256', password)
}

/** Whether a stored password is {@link publicPassword}. */
export function isPublic(stored: string): boolean {
  return stored === storedPublicPassword
}

/** Whether a stored password could be guessed from its digest. */
export function isGuessable(stored: string): boolean {
  return stored.startsWith(chosenPrefix)
}

/**
 * Compares a password. Costs one derivation in every case: an unknown account, a wrong password and a digest cannot be
 * told apart by the time.
 * @param stored undefined without an account
 * @returns `better`: what to store from now on; undefined if that is stored already
 */
export async function judgePassword(
  stored: string | undefined,
  password: string,
  derive: DeriveHash,
): Promise<{ readonly isRight: boolean; readonly better?: string }> {
  const digest = hash('sha256', password)
  const { salt = randomBytes(16), derived: kept, digest: keptDigest = '' } = parsed(stored ?? '')
  const derived = await derive(digest, salt)
  if (kept !== undefined) return { isRight: timingSafeEqual(derived, kept) }
  const isRight = keptDigest.length === digest.length && timingSafeEqual(Buffer.from(digest), Buffer.from(keptDigest))
  return isRight ? { isRight, better: scryptText(salt, derived) } : { isRight }
}

/** Replaces a digest by its hash; undefined if it has been replaced already. */
export async function hashedDigest(stored: string, derive: DeriveHash): Promise<string | undefined> {
  const { digest } = parsed(stored)
  const salt = randomBytes(16)
  return digest && scryptText(salt, await derive(digest, salt))
}

function parsed(stored: string): { readonly digest?: string; readonly salt?: Buffer; readonly derived?: Buffer } {
  if (!stored.startsWith(scryptPrefix)) return { digest: stored.replace(chosenPrefix, '') }
  const [salt = '', derived = ''] = stored.slice(scryptPrefix.length).split('$')
  return { salt: Buffer.from(salt, 'base64url'), derived: Buffer.from(derived, 'base64url') }
}

function scryptText(salt: Uint8Array, derived: Uint8Array): string {
  return scryptPrefix + [salt, derived].map((bytes) => Buffer.from(bytes).toString('base64url')).join('$')
}
