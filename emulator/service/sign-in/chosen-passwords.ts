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

  return {
    /** Call when an account has got such a password, or the records were replaced. */
    hashSoon() {
      if (isRunning || !isDurable) return
      isRunning = true
      // The disk is full, or the emulator closes and gives no more turns: the next process continues.
      const end = () => {
        isRunning = false
      }
      hashAll().then(end, end)
    },
  }
}

/**
 * Hashes passwords that a person chose, so that a data folder does not keep a digest from which they could be guessed.
 * In the background and one at a time; what a process has left undone, the next one does.
 */
export type ChosenPasswords = ReturnType<typeof createChosenPasswords>
