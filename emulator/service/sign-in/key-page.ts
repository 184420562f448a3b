import type { EmulatorClock } from '../../clock/clock.ts'
import type { RequestLog } from '../../storage/record-store.ts'
import type { Accounts } from '../accounts.ts'
import type { PasswordGate, SignInResult } from './password-gate.ts'
import type { IssuedKey, KeyUse, SessionMemory } from './session-memory.ts'
import type { Session, Sessions } from './sessions.ts'

export type KeyIssue =
  /** The key waits for {@link KeyPage.takeIssuedKey}. */
  | { readonly kind: 'issued' }
  | { readonly kind: 'wrong-password' }
  | Extract<SignInResult, { readonly kind: 'too-many-attempts' }>
  /** The session ended before the password was checked. */
  | { readonly kind: 'signed-out' }

export interface KeyOrder {
  readonly session: Session
  /** Of the session's account. */
  readonly password: string
  /** The single-use token of the form, checked by the caller: sent twice, it makes one key. Default: each order makes one. */
  readonly formToken?: string | undefined
}

export interface KeyFacts {
  /** The key's last characters; empty if they are unknown. */
  readonly end: string
  /** Epoch milliseconds. */
  readonly madeAt: number
  /** Whether the owner made it on this page; the first key of an account comes with it. */
  readonly isOwners: boolean
  /** Null if the log has no request with this key. */
  readonly lastUse: KeyUse | null
}

export interface KeyPageParts {
  readonly accounts: Pick<Accounts, 'get' | 'regenerateKey'>
  readonly requests: Pick<RequestLog, 'count' | 'lastOf'>
  readonly clock: Pick<EmulatorClock, 'now'>
  readonly sessions: Pick<Sessions, 'isOpen'>
  readonly signIn: PasswordGate
  readonly memory: SessionMemory<KeyIssue>
}

export function createKeyPage({ accounts, requests, clock, sessions, signIn, memory }: KeyPageParts) {
  const keyFacts = (accountId: number): KeyFacts => {
    const { keyEnd = '', keyMadeAt, requestsBeforeKey = 0, isKeyOwners = false } = accounts.get(accountId)
    // A request with an older key has the same account.
    const isUsed = requests.count(accountId) > requestsBeforeKey
    const last = isUsed ? requests.lastOf(accountId) : undefined
    return {
      end: keyEnd,
      madeAt: keyMadeAt,
      isOwners: isKeyOwners,
      lastUse: last === undefined ? null : { at: last.at, clientIp: last.clientIp },
    }
  }

  const issue = async ({ session, password }: KeyOrder): Promise<KeyIssue> => {
    if (!sessions.isOpen(session)) return { kind: 'signed-out' }
    const { email } = accounts.get(session.accountId)
    const answer = await signIn({ email, password })
    if (!sessions.isOpen(session)) return { kind: 'signed-out' }
    if (answer.kind === 'too-many-attempts') return answer
    if (answer.kind === 'wrong' || answer.account.id !== session.accountId) return { kind: 'wrong-password' }
    const { lastUse } = keyFacts(session.accountId)
    const apiKey = accounts.regenerateKey(session.accountId, { isOwners: true })
    memory.putKey(session.idHash, { apiKey, oldKeyLastUse: lastUse }, clock.now())
    return { kind: 'issued' }
  }

  return {
    /**
     * Makes a new key if the password is right; the old one stops working at once (spec 5.9). The rule for wrong tries is
     * that of the sign-in. Takes no signal: a double click aborts its first request, and the second gets the outcome.
     * @throws EmulatorError `emulator-closed`
     */
    issueKey(order: KeyOrder): Promise<KeyIssue> {
      const { idHash } = order.session
      if (order.formToken === undefined) return issue(order)
      const once = { idHash, token: order.formToken }
      return memory.once(
        once,
        () => issue(order),
        ({ kind }) => kind === 'issued',
      )
    },
    /**
     * The session's new key, once, within a minute of the service's clock; it is kept in memory only. Dropped when the
     * session ends, and by a reset, a restore and a restart.
     */
    takeIssuedKey: (session: Session): IssuedKey | undefined =>
      sessions.isOpen(session) ? memory.takeKey(session.idHash, clock.now()) : undefined,
    /**
     * Reads the request log: call for a page, not for each request.
     * @throws MissingRecordError
     */
    keyFacts,
  }
}

/** How an account makes itself a new key (spec 1). */
export type KeyPage = ReturnType<typeof createKeyPage>
