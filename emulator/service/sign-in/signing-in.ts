import type { Accounts } from '../accounts.ts'
import type { ServiceParts } from '../service-parts.ts'
import { type ChosenPasswords, createChosenPasswords } from './chosen-passwords.ts'
import { type DeriveHash, deriveHash } from './derive-hash.ts'
import { createIssuedKeys } from './issued-keys.ts'
import { createKeyPage, type KeyIssue, type KeyPage } from './key-page.ts'
import { createPasswordGate } from './password-gate.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createSignIn, type SignIn } from './sign-in.ts'
import { createTries } from './tries.ts'
import { createTurns } from './turns.ts'
import { createUsedTokens } from './used-tokens.ts'

/** Everything about passwords and sessions, put together. */
export interface SigningIn {
  readonly sessions: Sessions
  readonly signIn: SignIn
  readonly chosenPasswords: ChosenPasswords
  keyPage(accounts: Accounts): KeyPage
  /** Call when the records were replaced: forgets tries, new keys and used forms. */
  resume(): void
  /** Refuses passwords that wait for their check. */
  close(): void
}

/** @param derive for tests, a quicker one */
export function createSigningIn(
  { records, clock, isDurable }: Pick<ServiceParts, 'records' | 'clock' | 'isDurable'>,
  derive: DeriveHash = deriveHash,
): SigningIn {
  const { accounts, requests } = records
  const turns = createTurns()
  const tries = createTries()
  const issuedKeys = createIssuedKeys()
  const usedTokens = createUsedTokens<KeyIssue>()
  const onEnd = (idHash: string) => {
    issuedKeys.drop(idHash)
    usedTokens.drop(idHash)
  }
  const sessions = createSessions({ records, clock, onEnd })
  const gate = createPasswordGate({ accounts, clock, turns, tries, derive })
  const chosenPasswords = createChosenPasswords({ accounts, turns, derive, isDurable })
  return {
    sessions,
    signIn: createSignIn(gate),
    chosenPasswords,
    keyPage: (service) => createKeyPage({ accounts: service, requests, clock, sessions, gate, issuedKeys, usedTokens }),
    resume() {
      tries.clear()
      issuedKeys.clear()
      usedTokens.clear()
      chosenPasswords.hashSoon()
    },
    close() {
      chosenPasswords.close()
      turns.close()
    },
  }
}
