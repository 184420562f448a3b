import { hash, scryptSync, timingSafeEqual } from 'node:crypto'

/** The first account's password where no other is given: no secret, everyone who starts an emulator knows it. */
export const publicPassword = 'password'

/** {@link publicPassword} as it is stored: with one fixed salt, so that it can be recognised without any work. */
const storedPublicPassword = 'scrypt$8$8$1$GepzGenB1NgFGnZXIPSrGQ$Lm1RKJrAmjqrDi1ZUOjgHteYGAs1_t2AK505w0bq1S0'

/** Passwords are fixtures: of one hash, which is quick enough for an account per test, none can be read. */
const cost = { N: 2 ** 8, r: 8, p: 1 }
/** log2 of N, r and p. */
const prefix = 'scrypt$8$8$1$'

function derive(password: string, salt: Uint8Array): Buffer {
  return scryptSync(password, salt, 32, cost)
}

/** What to store for a new password. The salt is of the account's email, so that equal runs have equal snapshots. */
export function storedPassword(password: string, email: string): string {
  if (password === publicPassword) return storedPublicPassword
  const salt = hash('sha256', email, 'buffer').subarray(0, 16)
  return prefix + [salt, derive(password, salt)].map((bytes) => bytes.toString('base64url')).join('$')
}

/** Whether a stored password is {@link publicPassword}. */
export function isPublic(stored: string): boolean {
  return stored === storedPublicPassword
}

/**
 * Compares a password. An unknown account and a wrong password cost the same.
 * @param stored undefined without an account
 */
export function isRightPassword(stored: string | undefined, password: string): boolean {
  const [salt = '', kept = ''] = (stored ?? storedPublicPassword).slice(prefix.length).split('$')
  const isEqual = timingSafeEqual(derive(password, Buffer.from(salt, 'base64url')), Buffer.from(kept, 'base64url'))
  return stored !== undefined && isEqual
}
