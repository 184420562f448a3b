import type { Accounts } from '../accounts.ts'
import type { ServiceParts } from '../service-parts.ts'
import { createTurns } from '../turns.ts'
import { createChosenPasswords } from './chosen-passwords.ts'
import { type DeriveHash, deriveHash } from './derive-hash.ts'
import { createIssuedKeys } from './issued-keys.ts'
import { createKeyPage, type KeyIssue, type KeyPage } from './key-page.ts'
import { createPasswordGate } from './password-gate.ts'
import { createSessions } from './sessions.ts'
import { createSignIn } from './sign-in.ts'
import { createTries } from './tries.ts'
import { createUsedTokens } from './used-tokens.ts'

/**
 * Everything about passwords and sessions, put together.
 * @param derive for tests, a quicker one
 */
export function createSigningIn(
  { records, clock, isDurable }: Pick<ServiceParts, 'records' | 'clock' | 'isDurable'>,
  derive: DeriveHash = deriveHash,
) {
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
    keyPage: (service: Accounts): KeyPage =>
      createKeyPage({ accounts: service, requests, clock, sessions, gate, issuedKeys, usedTokens }),
    /** Call when the records were replaced: forgets tries, new keys and used forms. */
    resume() {
      tries.clear()
      issuedKeys.clear()
      usedTokens.clear()
      chosenPasswords.hashSoon()
    },
    /** Refuses passwords that wait for their check. */
    close() {
      chosenPasswords.close()
      turns.close()
    },
  }
}
