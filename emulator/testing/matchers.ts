import { invalidValue } from '../../src/checks/coded-error.ts'
import { VerificationError } from '../control/verification-error.ts'
import type { Emulator, OrderedExpectation, RequestExpectation } from '../index.ts'

/** What `expect(emulator)` has more, once `expect.extend({ toHaveReceivedRequest })` was called. */
export interface EmulatorMatchers<R = void> {
  /**
   * Passes if the emulator's log has what `emulator.control.requests.verify` looks for: at least one such request, as many as
   * `count` says, or several `in_order`. A failure names the closest request and how it differs.
   *
   * @throws TypeError saying what a field takes, and for anything but an emulator
   */
  toHaveReceivedRequest(expected: RequestExpectation | OrderedExpectation): R
}

/** A matcher for the `expect` of Vitest, Jest and Bun: see {@link EmulatorMatchers}. */
export function toHaveReceivedRequest(received: unknown, expected: RequestExpectation | OrderedExpectation) {
  const { requests } = emulatorOf(received).control
  const failure = failureOf(() => requests.verify(expected))
  return {
    pass: failure === undefined,
    // Where there is none, the question was put with `not`.
    message: () => failure ?? failureOf(() => requests.verify(none(expected))) ?? 'The log has what was not expected',
  }
}

function none(expected: RequestExpectation | OrderedExpectation): RequestExpectation | OrderedExpectation {
  return 'in_order' in expected ? expected : { ...expected, count: 0 }
}

function failureOf(verify: () => unknown): string | undefined {
  try {
    verify()
    return undefined
  } catch (error) {
    if (error instanceof VerificationError) return error.message
    throw error
  }
}

function emulatorOf(received: unknown): Emulator {
  if (typeof Object(received).control?.requests?.verify === 'function') return received as Emulator
  const found = received instanceof Promise ? 'a promise: await it first' : 'something else'
  throw invalidValue(`toHaveReceivedRequest takes an emulator, as createEmulator() resolves with, but got ${found}`)
}

declare global {
  namespace jest {
    interface Matchers<R, T> extends EmulatorMatchers<R> {}
  }
  // What Vitest's `expect` returns has all that Chai's has. Its own `Matchers` take other parameters in each major.
  namespace Chai {
    interface Assertion extends EmulatorMatchers {}
  }
}

// biome-ignore lint/suspicious/noTsIgnore: an error only where Jest is not installed.
/** @ts-ignore The matchers of `@jest/globals`; the same without Jest. */
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T> extends EmulatorMatchers<R> {}
}
