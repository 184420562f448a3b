import { afterRealTime } from '../../clock/clock.ts'
import type { RecordStore } from '../../storage/record-store.ts'
import type { Turns } from '../turns.ts'
import type { DeriveHash } from './derive-hash.ts'
import { hashedDigest, isGuessable } from './stored-password.ts'

export interface ChosenPasswordsParts {
  readonly accounts: RecordStore['accounts']
  readonly turns: Turns
  readonly derive: DeriveHash
  /** Without a data folder nothing is hashed: a test's account costs nothing. */
  readonly isDurable: boolean
}

/** In real time; before each hash, so that the start, and tests with many accounts, have the processor first. */
const pauseMs = 200

export function createChosenPasswords({ accounts, turns, derive, isDurable }: ChosenPasswordsParts) {
  let isRunning = false
  let isClosed = !isDurable

  const hashNext = async () => {
    const account = accounts.all().find(({ passwordHash }) => isGuessable(passwordHash))
    if (account === undefined || isClosed) return false
    const { id, passwordHash } = account
    const hashed = await turns.take(() => hashedDigest(passwordHash, derive))
    // A sign-in may have replaced it, and a reset the account.
    if (isClosed || accounts.get(id)?.passwordHash !== passwordHash) return !isClosed
    accounts.update(id, { passwordHash: hashed ?? passwordHash })
    return true
  }
  const run = () => {
    isRunning = true
    afterRealTime(pauseMs, () => {
      void hashNext()
        // The disk is full or the emulator has closed: the next process continues.
        .catch(() => false)
        .then((hasMore) => {
          isRunning = false
          if (hasMore) run()
        })
    })
  }

  return {
    /** Call when an account has got such a password, or the records were replaced. */
    hashSoon() {
      if (!isRunning && !isClosed) run()
    },
    close() {
      isClosed = true
    },
  }
}

/**
 * Hashes passwords that a person chose, so that a data folder does not keep a digest from which they could be guessed.
 * In the background and one at a time; what a process has left undone, the next one does.
 */
export type ChosenPasswords = ReturnType<typeof createChosenPasswords>
