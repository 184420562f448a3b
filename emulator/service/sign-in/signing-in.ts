import type { Accounts } from '../accounts.ts'
import type { ServiceParts } from '../service-parts.ts'
import { createTurns } from '../turns.ts'
import { createChosenPasswords } from './chosen-passwords.ts'
import { type DeriveHash, deriveHash } from './derive-hash.ts'
import { createKeyPage, type KeyIssue, type KeyPage } from './key-page.ts'
import { createPasswordGate } from './password-gate.ts'
import { createSessionMemory } from './session-memory.ts'
import { createSessions } from './sessions.ts'
import { createTries } from './tries.ts'

/**
 * Everything about passwords and sessions, put together.
 * @param derive for tests, a quicker one
 */
export function createSigningIn(
  { records, clock, isDurable }: Pick<ServiceParts, 'records' | 'clock' | 'isDurable'>,
  derive: DeriveHash = deriveHash,
) {
  const { accounts, requests } = records
  const [turns, tries, memory] = [createTurns(), createTries(), createSessionMemory<KeyIssue>()]
  const sessions = createSessions({ records, clock, onEnd: memory.drop })
  const signIn = createPasswordGate({ accounts, clock, turns, tries, derive })
  const chosenPasswords = createChosenPasswords({ accounts, turns, derive, isDurable })
  return {
    sessions,
    signIn,
    chosenPasswords,
    keyPage: (service: Accounts): KeyPage =>
      createKeyPage({ accounts: service, requests, clock, sessions, signIn, memory }),
    /** Call when the records were replaced: forgets tries, new keys and used forms. */
    resume() {
      tries.clear()
      memory.clear()
      chosenPasswords.hashSoon()
    },
    /** Refuses passwords that wait for their check. */
    close: turns.close,
  }
}
