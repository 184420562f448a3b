import { hash, scryptSync, timingSafeEqual } from 'node:crypto'
import type { AccountRecord } from '../../storage/record-types.ts'
import type { RecordStore } from '../../storage/records.ts'
import { longestPassword } from '../../values/value-type.ts'
import type { ServiceParts } from '../service-parts.ts'
import { createTries } from '../tries.ts'

/** The answer to a password, given at the sign-in or for a key. */
type SignInResult =
  /** Open a session of the account next. A suspended account may sign in: it sees the notice. */
  { readonly kind: 'signed-in'; readonly account: AccountRecord } | { readonly kind: 'wrong' } | TooManyAttempts

export interface TooManyAttempts {
  readonly kind: 'too-many-attempts'
  /** Epoch milliseconds of the service's clock. */
  readonly retryAt: number
}

export interface PasswordQuestion {
  /** Case, and blanks around it, do not matter. */
  readonly email: string
  readonly password: string
}

/** Longer emails name no account, so that hostile ones cost nothing. */
const longestEmail = 1_024

export function createSigningIn({ records: { accounts }, clock }: Pick<ServiceParts, 'records' | 'clock'>) {
  const tries = createTries()
  return {
    /**
     * Asks for the password of an account. An unknown email and a wrong password cost the same work and get the same answer.
     * After five wrong tries within a minute of the service's clock, at the sign-in and on the key page together, an email
     * has to wait; a right password forgets them.
     */
    signIn({ email: given, password }: PasswordQuestion): SignInResult {
      if (password.length > longestPassword || given.length > longestEmail) return { kind: 'wrong' }
      const email = plainEmail(given)
      const retryAt = tries.refusedUntil(email, clock.now())
      if (retryAt !== undefined) return { kind: 'too-many-attempts', retryAt }
      tries.count(email, clock.now())
      const account = findAccount(accounts, email, given)
      const isRight = isRightPassword(account?.passwordHash, password)
      if (!isRight || account === undefined) return { kind: 'wrong' }
      tries.forget(email)
      return { kind: 'signed-in', account }
    },
    /** Call when the records were replaced. */
    resume: () => tries.clear(),
  }
}

export type SignIn = ReturnType<typeof createSigningIn>['signIn']

/** The account with exactly this email, else the first whose email differs only in case. */
function findAccount(accounts: RecordStore['accounts'], email: string, given: string): AccountRecord | undefined {
  const all = accounts.all()
  return all.find((account) => account.email === given) ?? all.find((account) => plainEmail(account.email) === email)
}

function plainEmail(email: string): string {
  return email.trim().toLowerCase()
}

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
