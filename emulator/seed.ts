import type { AccountControl } from './control/account-control.ts'
import type { NewAccountFields } from './control/account-patch.ts'
import type { UploadBatch } from './control/upload-batch.ts'
import { randomText } from './service/random-text.ts'

/** What is there at the start, and again after a reset. */
export interface Seed {
  /** The first of them is the emulator's first account; one is made where there is none. */
  readonly accounts?: readonly SeedAccount[]
}

/** An account with the fields the control API creates and changes accounts with. */
export interface SeedAccount extends NewAccountFields {
  readonly uploads?: UploadBatch | readonly UploadBatch[]
}

/** The first account's, unless a seed says otherwise: an emulator's sign-in is no secret, and has to be known. */
const firstSignIn = { email: 'user@example.com', password: 'password' }

/** Accounts whose keys and sign-ins no longer change, however often they are planted. */
export interface PlantableSeed {
  readonly firstApiKey: string
  /** @throws TypeError saying what a field takes; TakenError where two accounts have the same key or email */
  plant(accounts: AccountControl): void
}

/** @throws TypeError where the seed has something else than accounts */
export function prepareSeed(seed: Seed, apiKey: string | undefined): PlantableSeed {
  const [first = {}, ...others] = accountsOf(seed)
  const firstApiKey = apiKey ?? first.api_key ?? randomText(40)
  const planted = [{ ...firstSignIn, ...first, api_key: firstApiKey }, ...others.map(withSecrets)]
  return {
    firstApiKey,
    plant(accounts) {
      for (const { uploads = [], ...fields } of planted) {
        const { id } = accounts.create(fields)
        for (const batch of [uploads].flat()) accounts.addUploads(id, batch)
      }
    },
  }
}

function withSecrets(account: SeedAccount): SeedAccount {
  const email = `${randomText(8).toLowerCase()}@example.com`
  return { api_key: randomText(40), email, password: randomText(16), ...account }
}

function accountsOf(seed: Seed): readonly SeedAccount[] {
  const unknown = Object.keys(seed).find((name) => name !== 'accounts')
  if (unknown !== undefined) throw new TypeError(`A seed has accounts, but no ${JSON.stringify(unknown)}`)
  const { accounts = [] } = seed
  if (Array.isArray(accounts) && accounts.every((account) => typeof account === 'object' && account !== null)) {
    return accounts
  }
  throw new TypeError('The accounts of a seed are a list of objects')
}
