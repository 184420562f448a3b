import { type TestAPI, test } from 'vitest'
import { type CreatedAccount, createEmulator, type Emulator, type EmulatorOptions } from '../index.ts'

/** What a test of {@link emulatorTest} may ask for. */
export interface EmulatorFixtures {
  /**
   * What the file's emulator is made with: a virtual clock, unless overridden by `emulatorTest.extend` or `.override`
   * with the scope `file`.
   */
  readonly emulatorOptions: EmulatorOptions
  /** One for each file, closed at its end. */
  readonly emulator: Emulator
  /** The file's emulator on a socket, on any free port; nothing listens where no test asks. */
  readonly baseUrl: string
  /** The test's own account, with uploads, quotas and log of its own, so that tests neither meet nor need resets. */
  readonly account: CreatedAccount
  /** The key of that account. */
  readonly apiKey: string
}

/** Vitest's `test`, with an emulator for each file and an account for each test, made when a test asks for them. */
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
