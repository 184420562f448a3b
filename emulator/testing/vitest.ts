import { type TestAPI, test } from 'vitest'
import { checkOptions } from '../../src/checks/options.ts'
import { aBoolean } from '../../src/checks/values.ts'
import { type Client, createClient, fetchTransport, type QuotaLimits } from '../../src/index.ts'
import type { CreatedAccount } from '../control/account-control.ts'
import { createEmulator, type Emulator } from '../emulator.ts'
import type { FaultMatch } from '../faults/fault.ts'
import type { ArmedFault } from '../faults/fault-book.ts'
import type { GivenFault } from '../faults/fault-parser.ts'
import type { EmulatorOptions } from '../options.ts'
import { quotasOr } from '../options.ts'
import type { GivenQuotas } from '../settings/quota-limits.ts'
import { expectGoodManners } from './good-manners.ts'

/** Failures that a test orders for its own account. */
export interface AccountFaults {
  /**
   * Adds a fault, behind those added before; requests of other accounts pass it by.
   * @throws TypeError naming the field and what it takes
   */
  add(fault: Omit<GivenFault, 'match'> & { readonly match?: Omit<FaultMatch, 'account_id'> }): ArmedFault
}

/** The fixtures of {@link emulatorTest}. The first three are options: `emulatorTest.extend({ strict: true })`. */
export interface EmulatorFixtures {
  /** Options of the file's emulator, whose clock is `auto` unless they name another; override them with the scope `file`. */
  readonly emulatorOptions: EmulatorOptions
  /**
   * The quotas of each test's account: `none`; `default`, those of the emulator; or limits in units, where a window that is
   * not named keeps its default. Default: `none`, or `default` where `emulatorOptions` have quotas.
   */
  readonly accountQuotas: GivenQuotas | 'default'
  /**
   * Whether a test fails whose account was used badly: too early after a refusal, repeatedly for the same bytes, or in vain
   * (docs/testing.md). Default: false.
   */
  readonly strict: boolean
  /** One per file and `extend`, closed at the file's end. */
  readonly emulator: Emulator
  /** The address of the file's emulator, which listens on a free port once a test uses this fixture. */
  readonly baseUrl: string
  /** The test's own account: its uploads, quotas and log are separate, so tests need no resets. */
  readonly account: CreatedAccount
  /** The key of that account. */
  readonly apiKey: string
  /**
   * A client with that key and the account's limits, without a socket and on the emulator's clock; closed at the test's end,
   * when the account is suspended, so that calls which the test did not await end too.
   */
  readonly client: Client
  /** Failures of this account's requests, taken back at the test's end with all others that name the account. */
  readonly faults: AccountFaults
}

/** Links in answers begin with it; nothing listens there. */
const inProcessUrl = 'http://localhost'

const optionNames = ['emulatorOptions', 'accountQuotas', 'strict'] as const

type GivenOptions = Partial<Pick<EmulatorFixtures, (typeof optionNames)[number]>>

function emulatorTestWith(options: GivenOptions): TestAPI<EmulatorFixtures> {
  return test.extend<EmulatorFixtures>({
    emulatorOptions: [{}, { scope: 'file' }],
    accountQuotas: async ({ emulatorOptions: { quotas, settings } }, use) => {
      const isAsked = quotas !== undefined || settings?.quotas !== undefined
      await use(isAsked ? 'default' : 'none')
    },
    strict: false,
    emulator: [
      async ({ emulatorOptions }, use) => {
        const emulator = await createEmulator({ ...emulatorOptions, clock: emulatorOptions.clock ?? 'auto' })
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
    account: async ({ emulator, accountQuotas, strict, onTestFinished }, use) => {
      checkOptions('emulatorTest', { accountQuotas, strict }, { accountQuotas: quotasOr('default'), strict: aBoolean })
      const quotas = accountQuotas === 'default' ? null : accountQuotas
      const account = emulator.control.accounts.create({ quotas })
      // Not after `use`: Vitest reports what a fixture throws there twice, and leaves out other fixtures' endings.
      if (strict) onTestFinished(() => expectGoodManners(emulator.control.report({ account_id: account.id })))
      await use(account)
      end(emulator, account)
    },
    apiKey: async ({ account }, use) => {
      await use(account.api_key)
    },
    client: async ({ emulator, account, accountQuotas }, use) => {
      const { clock, fetch } = emulator
      const { id, api_key: apiKey } = account
      const pacing = accountQuotas === 'none' ? {} : { limits: limitsOf(emulator, id) }
      const client = createClient({ baseUrl: inProcessUrl, apiKey, clock, transport: fetchTransport(fetch), pacing })
      // Not closed: it holds nothing open, and a call that was not awaited fails with the words of the suspended account.
      await use(client)
    },
    faults: async ({ emulator, account }, use) => {
      const { faults } = emulator.control
      await use({ add: (fault) => faults.add({ ...fault, match: { ...fault.match, account_id: account.id } }) })
      // First, so that a call which was not awaited does not succeed once nothing strikes it any more.
      end(emulator, account)
      for (const { id, match } of faults.list()) if (match.account_id === account.id) faults.remove(id)
    },
    ...options,
  })
}

function limitsOf({ control }: Emulator, accountId: number): Partial<QuotaLimits> {
  const windows = Object.entries(control.accounts.quota(accountId))
  return Object.fromEntries(windows.map(([name, { limit }]) => [name, limit]))
}

/** Work that a test has not awaited fails from here on, in place of going on under other tests. */
function end({ control }: Emulator, { id }: CreatedAccount): void {
  const isThere = control.accounts.list().some((account) => account.id === id)
  if (isThere) control.accounts.update(id, { suspended: true, suspension_reason: testEnded })
}

const testEnded = 'the test that this account belongs to has ended; is an await missing?'

type Extend = (fixtures: object) => TestAPI<EmulatorFixtures>

/** Vitest before 4.1 hands an option that `extend` changes to new fixtures only, so ours are defined again with it. */
function redefinable(options: GivenOptions, others: readonly object[]): TestAPI<EmulatorFixtures> {
  const extend: Extend = (given) => {
    const isOption = ([name]: readonly [string, unknown]) => optionNames.some((option) => option === name)
    const entries = Object.entries(given)
    const changed = { ...options, ...Object.fromEntries(entries.filter(isOption)) }
    return redefinable(changed, [...others, Object.fromEntries(entries.filter((entry) => !isOption(entry)))])
  }
  let api = emulatorTestWith(options)
  for (const fixtures of others) api = (api.extend as Extend)(fixtures)
  Object.assign(api, { extend })
  return api
}

/** Vitest's `test` with an emulator per file and an account per test, created when a test uses them. */
export const emulatorTest: TestAPI<EmulatorFixtures> = 'override' in test ? emulatorTestWith({}) : redefinable({}, [])
