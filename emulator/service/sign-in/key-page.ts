import type { Accounts } from '../accounts.ts'
import type { ServiceParts } from '../service-parts.ts'
import { keepLatest } from '../tries.ts'
import type { Session } from './sessions.ts'
import type { SignIn, TooManyAttempts } from './signing-in.ts'

type KeyIssue =
  /** The key waits for `takeIssuedKey`. */
  { readonly kind: 'issued' } | { readonly kind: 'wrong-password' } | TooManyAttempts

export interface KeyOrder {
  /** It lasts, as the caller has seen. */
  readonly session: Session
  /** Of the session's account. */
  readonly password: string
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

interface KeyUse {
  /** Epoch milliseconds. */
  readonly at: number
  readonly clientIp: string
}

const keptMs = 60_000

/** How an account makes itself a new key (spec 1). */
export function createKeyPage(
  { records: { requests }, clock }: Pick<ServiceParts, 'records' | 'clock'>,
  { accounts, signIn }: { readonly accounts: Accounts; readonly signIn: SignIn },
) {
  /** On their way to the page that shows them, by session. */
  const keys = new Map<string, { readonly apiKey: string; readonly until: number }>()

  const keyFacts = (accountId: number): KeyFacts => {
    const { keyEnd: end = '', keyMadeAt: madeAt, requestsBeforeKey = 0, isKeyOwners = false } = accounts.get(accountId)
    // A request with an older key has the same account.
    const isUsed = requests.logged(accountId) > requestsBeforeKey
    const ofAccount = { where: 'accountId = ?', values: [accountId], limit: 1 }
    const [last] = isUsed ? requests.select(ofAccount) : []
    const lastUse = last === undefined ? null : { at: last.at, clientIp: last.clientIp }
    return { end, madeAt, isOwners: isKeyOwners, lastUse }
  }
  return {
    /**
     * Makes a new key if the password is right; the old one stops working at once (spec 5.9). The rule for wrong tries is
     * that of the sign-in.
     */
    issueKey({ session, password }: KeyOrder): KeyIssue {
      const { email } = accounts.get(session.accountId)
      const answer = signIn({ email, password })
      if (answer.kind === 'too-many-attempts') return answer
      if (answer.kind === 'wrong' || answer.account.id !== session.accountId) return { kind: 'wrong-password' }
      const apiKey = accounts.regenerateKey(session.accountId, { isOwners: true })
      const now = clock.now()
      for (const [other, { until }] of keys) if (until <= now) keys.delete(other)
      keepLatest(keys, session.idHash, { apiKey, until: now + keptMs })
      return { kind: 'issued' }
    },
    /** The session's new key, once, within a minute of the service's clock; it is kept in memory only. */
    takeIssuedKey({ idHash }: Session): string | undefined {
      const key = keys.get(idHash)
      keys.delete(idHash)
      return key !== undefined && clock.now() < key.until ? key.apiKey : undefined
    },
    /**
     * Reads the request log: call for a page, not for each request.
     * @throws MissingRecordError
     */
    keyFacts,
    /** Call when the records were replaced. */
    forgetAll: () => keys.clear(),
  }
}
