import { afterRealTime } from '../../clock/clock.ts'
import type { RecordStore } from '../../storage/record-store.ts'
import type { Accounts } from '../accounts.ts'
import type { ServiceParts } from '../service-parts.ts'
import { createTurns, type Turns } from '../turns.ts'
import { type DeriveHash, deriveHash } from './derive-hash.ts'
import { createKeyPage, type KeyIssue, type KeyPage } from './key-page.ts'
import { createPasswordGate } from './password-gate.ts'
import { createSessionMemory } from './session-memory.ts'
import { createSessions } from './sessions.ts'
import { hashedDigest, isGuessable } from './stored-password.ts'
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
  const sessions = createSessions(records, clock, memory.drop)
  const signIn = createPasswordGate({ accounts, clock, turns, tries, derive })
  // Without a data folder nothing is hashed: a test's account costs nothing.
  const hashSoon = isDurable ? createHashing(accounts, turns, derive) : () => {}
  return {
    sessions,
    signIn,
    hashSoon,
    keyPage: (service: Accounts): KeyPage =>
      createKeyPage({ accounts: service, requests, clock, sessions, signIn, memory }),
    /** Call when the records were replaced: forgets tries, new keys and used forms. */
    resume() {
      tries.clear()
      memory.clear()
      hashSoon()
    },
    /** Refuses passwords that wait for their check. */
    close: turns.close,
  }
}

/** In real time; before each hash, so that the start, and tests with many accounts, have the processor first. */
const pauseMs = 200

/**
 * Hashes passwords that a person chose, so that a data folder does not keep a digest from which they could be guessed.
 * In the background and one at a time; what a process has left undone, the next one does.
 * @returns called when an account has got such a password, or the records were replaced
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
    if (isRunning) return
    isRunning = true
    hashAll().then(end, end)
  }
}
