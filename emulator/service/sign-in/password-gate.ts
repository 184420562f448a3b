import type { EmulatorClock } from '../../clock/clock.ts'
import type { RecordStore } from '../../storage/record-store.ts'
import type { AccountRecord } from '../../storage/records.ts'
import { longestPassword } from '../../values/value-type.ts'
import type { Turns } from '../turns.ts'
import type { DeriveHash } from './derive-hash.ts'
import { judgePassword } from './stored-password.ts'
import type { Tries } from './tries.ts'

/** The answer to a password, given at the sign-in or for a key. */
export type SignInResult =
  /** Open a session of the account next. A suspended account may sign in: it sees the notice. */
  | { readonly kind: 'signed-in'; readonly account: AccountRecord }
  | { readonly kind: 'wrong' }
  /** `retryAt`: epoch milliseconds of the service's clock. */
  | { readonly kind: 'too-many-attempts'; readonly retryAt: number }

interface PasswordQuestion {
  /** Case, and blanks around it, do not matter. */
  readonly email: string
  readonly password: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Asks for the password of an account. An unknown email and a wrong password cost the same work and get the same answer.
 * After five wrong tries within a minute of the service's clock, at the sign-in and on the key page together, an email
 * has to wait; a right password forgets them.
 * @throws the signal's reason if it aborts; EmulatorError `emulator-closed`
 */
export type PasswordGate = (question: PasswordQuestion) => Promise<SignInResult>

export interface PasswordGateParts {
  readonly accounts: RecordStore['accounts']
  readonly clock: Pick<EmulatorClock, 'now'>
  readonly turns: Turns
  readonly tries: Tries
  readonly derive: DeriveHash
}

/** Beyond it an attack with many emails would fill the memory, and the last would wait for half a minute. */
const mostWaiting = 100
const retryAfterRushMs = 30_000

/** Longer emails name no account, so that hostile ones cost nothing. */
const longestEmail = 1_024

export function createPasswordGate({ accounts, clock, turns, tries, derive }: PasswordGateParts): PasswordGate {
  const tooMany = (retryAt: number) => ({ kind: 'too-many-attempts', retryAt }) as const
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

  return async ({ email: given, password, signal }) => {
    if (password.length > longestPassword || given.length > longestEmail) return { kind: 'wrong' }
    const email = plainEmail(given)
    const isRush = turns.waiting() >= mostWaiting
    const refused = refusal(email) ?? (isRush ? tooMany(clock.now() + retryAfterRushMs) : undefined)
    return refused ?? turns.take(() => answer(email, given, password), signal)
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
