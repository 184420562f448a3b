import type { RecordStore } from '../../storage/records.ts'
import { createInventions } from '../inventions.ts'
import { isPublic, publicPassword, storedPassword } from './signing-in.ts'

/** The first account's sign-in where nothing else is given: no secret, so that everyone who starts an emulator knows it. */
export const publicSignIn = { email: 'user@example.com', password: publicPassword } as const

/** How to sign in to the website as the first account. */
export interface FirstAccount {
  readonly email: string
  /** The public one, or one that this run generated; absent if a person chose another, or an earlier run generated it. */
  readonly password?: string
}

/** Guards the first account once other machines can reach the emulator. */
export function createFirstSignIn(accounts: RecordStore['accounts']) {
  let isProtected = false
  /** What the first account has instead of the public password. */
  let guard: { readonly stored: string; readonly password?: string } | undefined
  let ownerId: number | undefined

  const first = () => accounts.all()[0]
  const replacePublic = () => {
    const account = first()
    ownerId = undefined
    if (account === undefined) return
    if (isPublic(account.passwordHash)) {
      const password = createInventions().password()
      guard ??= { password, stored: storedPassword(password, account.email) }
      accounts.update(account.id, { passwordHash: guard.stored })
    }
    guard ??= { stored: account.passwordHash }
    if (accounts.get(account.id)?.passwordHash === guard.stored) ownerId = account.id
  }

  return {
    /** Undefined if there are no accounts. */
    get(): FirstAccount | undefined {
      const account = first()
      if (account === undefined) return undefined
      const { id, email, passwordHash } = account
      if (isPublic(passwordHash)) return { email, password: publicPassword }
      const password = id === ownerId ? guard?.password : undefined
      return password === undefined ? { email } : { email, password }
    },
    /** The first account gets a generated password for the public one, now and after every reset; `randomSeed` does not fix it. */
    protect() {
      // Called before, it may have failed to store the password, which is public again then.
      if (isProtected && !isPublic(first()?.passwordHash ?? '')) return
      isProtected = true
      replacePublic()
    },
    /** Call when the records were replaced. */
    resume() {
      if (isProtected) replacePublic()
    },
  }
}
