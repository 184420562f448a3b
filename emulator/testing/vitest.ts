import { type TestAPI, test } from 'vitest'
import { type CreatedAccount, createEmulator, type Emulator, type EmulatorOptions } from '../index.ts'

/** The fixtures of {@link emulatorTest}. */
export interface EmulatorFixtures {
  /**
   * Options of the file's emulator. Default: a virtual clock. Override them by `emulatorTest.extend` or `.override` with
   * the scope `file`.
   */
  readonly emulatorOptions: EmulatorOptions
  /** One per file, closed at its end. */
  readonly emulator: Emulator
  /** The address of the file's emulator, which listens on a free port once a test uses this fixture. */
  readonly baseUrl: string
  /** The test's own account: its uploads, quotas and log are separate, so tests need no resets. */
  readonly account: CreatedAccount
  /** The key of that account. */
  readonly apiKey: string
}

/** Vitest's `test` with an emulator per file and an account per test, created when a test uses them. */
export const emulatorTest: TestAPI<EmulatorFixtures> = test.extend<EmulatorFixtures>({
  emulatorOptions: [{ clock: 'virtual' }, { scope: 'file' }],
  emulator: [
    async ({ emulatorOptions }, use) => {
      const emulator = await createEmulator(emulatorOptions)
      await use(emulator)
      await emulator.close()
    },
    { scope: 'file' },
  ],
  baseUrl: [
    async ({ emulator }, use) => {
      const { baseUrl } = await emulator.listen({ port: 0 })
      await use(baseUrl)
    },
    { scope: 'file' },
  ],
  account: async ({ emulator }, use) => {
    await use(emulator.control.accounts.create())
  },
  apiKey: async ({ account }, use) => {
    await use(account.api_key)
  },
})
