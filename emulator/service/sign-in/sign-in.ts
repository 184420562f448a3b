import type { AccountRecord } from '../../storage/records.ts'
import type { PasswordAnswer, PasswordGate, PasswordQuestion } from './password-gate.ts'

export type SignInResult =
  /** Open a session of the account next. A suspended account may sign in: it sees the notice. */
  { readonly kind: 'signed-in'; readonly account: AccountRecord } | Exclude<PasswordAnswer, { readonly kind: 'right' }>

/**
 * Signs in to the website. After five wrong tries within a minute of the service's clock, at the sign-in and on the key page
 * together, an email has to wait; a right password forgets them.
 * @throws the signal's reason if it aborts; EmulatorError `emulator-closed`
 */
export type SignIn = (question: PasswordQuestion) => Promise<SignInResult>

export function createSignIn(gate: PasswordGate): SignIn {
  return async (question) => {
    const answer = await gate(question)
    return answer.kind === 'right' ? { kind: 'signed-in', account: answer.account } : answer
  }
}
