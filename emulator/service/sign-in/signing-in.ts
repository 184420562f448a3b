import { afterRealTime } from '../../clock/clock.ts'
import type { AccountRecord } from '../../storage/record-types.ts'
import type { RecordStore } from '../../storage/records.ts'
import { longestPassword } from '../../values/value-type.ts'
import type { ServiceParts } from '../service-parts.ts'
import { createTurns, type Turns } from '../turns.ts'
import { type DeriveHash, deriveHash } from './derive-hash.ts'
import { hashedDigest, isGuessable, judgePassword } from './stored-password.ts'
import { createTries } from './tries.ts'

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
  readonly signal?: AbortSignal | undefined
}

/** Beyond it an attack with many emails would fill the memory, and the last would wait for half a minute. */
const mostWaiting = 100
const retryAfterRushMs = 30_000

/** Longer emails name no account, so that hostile ones cost nothing. */
const longestEmail = 1_024

/** Everything about passwords, put together. @param derive for tests, a quicker one */
export function createSigningIn(
  { records: { accounts }, clock, isDurable }: Pick<ServiceParts, 'records' | 'clock' | 'isDurable'>,
  derive: DeriveHash = deriveHash,
) {
  const [turns, tries] = [createTurns(), createTries()]
  // Without a data folder nothing is hashed: a test's account costs nothing.
  const hashSoon = isDurable ? createHashing(accounts, turns, derive) : () => {}
  const tooMany = (retryAt: number): TooManyAttempts => ({ kind: 'too-many-attempts', retryAt })
  const refusal = (email: string) => {
    const retryAt = tries.refusedUntil(email, clock.now())
    return retryAt === undefined ? undefined : tooMany(retryAt)
  }
  const answer = async (email: string, given: string, password: string): Promise<SignInResult> => {
    // Asked in its turn: tries that waited at the same time cannot get past the limit.
    const refused = refusal(email)
    if (refused !== undefined) return refused
    tries.count(email, clock.now())
    const account = findAccount(accounts, email, given)
    const { isRight, better } = await judgePassword(account?.passwordHash, password, derive)
    const current = account && accounts.get(account.id)
    // A reset, or a change of the password, may have happened meanwhile.
    const isSame = current?.passwordHash === account?.passwordHash && current?.email === account?.email
    if (!isRight || current === undefined || !isSame) return { kind: 'wrong' }
    tries.forget(email)
    const signedIn = better === undefined ? current : accounts.update(current.id, { passwordHash: better })
    return { kind: 'signed-in', account: signedIn ?? current }
  }

  return {
    /**
     * Asks for the password of an account. An unknown email and a wrong password cost the same work and get the same answer.
     * After five wrong tries within a minute of the service's clock, at the sign-in and on the key page together, an email
     * has to wait; a right password forgets them.
     * @throws the signal's reason if it aborts; EmulatorError `emulator-closed`
     */
    async signIn({ email: given, password, signal }: PasswordQuestion): Promise<SignInResult> {
      if (password.length > longestPassword || given.length > longestEmail) return { kind: 'wrong' }
      const email = plainEmail(given)
      const isRush = turns.waiting() >= mostWaiting
      const refused = refusal(email) ?? (isRush ? tooMany(clock.now() + retryAfterRushMs) : undefined)
      return refused ?? turns.take(() => answer(email, given, password), signal)
    },
    /** Call when an account has got a password that a person chose. */
    hashSoon,
    /** Call when the records were replaced. */
    resume() {
      tries.clear()
      hashSoon()
    },
    /** Refuses passwords that wait for their check. */
    close: turns.close,
  }
}

export type SignIn = ReturnType<typeof createSigningIn>['signIn']

/** In real time; before each hash, so that the start, and tests with many accounts, have the processor first. */
const pauseMs = 200

/**
 * Hashes passwords that a person chose, so that a data folder does not keep a digest from which they could be guessed:
 * in the background and one at a time, so that threads stay free for files, and a sign-in waits for one at most.
 */
function createHashing(accounts: RecordStore['accounts'], turns: Turns, derive: DeriveHash): () => void {
  let isRunning = false
  const hashAll = async () => {
    for (;;) {
      await new Promise<void>((resolve) => afterRealTime(pauseMs, resolve))
      const account = accounts.all().find(({ passwordHash }) => isGuessable(passwordHash))
      if (account === undefined) return
      const { id, passwordHash } = account
      const hashed = await turns.take(() => hashedDigest(passwordHash, derive))
      // A sign-in may have replaced it, and a reset the account.
      if (accounts.get(id)?.passwordHash === passwordHash) accounts.update(id, { passwordHash: hashed ?? passwordHash })
    }
  }
  // The disk is full, or the emulator closes and gives no more turns: the next process continues.
  const end = () => {
    isRunning = false
  }
  return () => {
    if (!isRunning) hashAll().then(end, end)
    isRunning = true
  }
}

/** The account with exactly this email, else the first whose email differs only in case. */
function findAccount(accounts: RecordStore['accounts'], email: string, given: string): AccountRecord | undefined {
  const all = accounts.all()
  return all.find((account) => account.email === given) ?? all.find((account) => plainEmail(account.email) === email)
}

function plainEmail(email: string): string {
  return email.trim().toLowerCase()
}
