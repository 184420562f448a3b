import type { EmulatorClock } from './clock.ts'
import { createAccountControl } from './control/account-control.ts'
import { openFirstAccount } from './first-account.ts'
import { prepareSeed, type Seed } from './seed.ts'
import type { Service } from './service/service.ts'
import type { FirstKey } from './storage/first-key.ts'

/** What is there at the start, beginning with the first account. */
export interface Planting {
  /** The first account's, at the start and after a reset. */
  readonly apiKey: string
  /** Fills an empty store. */
  plant(): void
}

export interface PlantingContext {
  readonly service: Service
  readonly clock: EmulatorClock
  readonly firstKey: FirstKey
  readonly seed: Seed
  /** The key that was asked for; unless given, the one of an earlier run, the seed's or a new one. */
  readonly apiKey: string | undefined
}

/**
 * Takes up the first account of an earlier run, or plants the seed where there was none.
 * @throws TypeError saying what the seed should have; TakenError where two accounts are to have the same key or email
 */
export function createPlanting({ service, clock, firstKey, seed, apiKey }: PlantingContext): Planting {
  const accounts = service.accounts
  const isNew = accounts.all().length === 0
  const known = isNew ? (apiKey ?? firstKey.candidates()[0]) : openFirstAccount({ accounts, firstKey }, apiKey)
  const seeds = prepareSeed(seed, known)
  const plant = () => {
    seeds.plant(createAccountControl(service, clock))
    if (firstKey.candidates()[0] !== seeds.firstApiKey) firstKey.remember(seeds.firstApiKey)
  }
  if (isNew) plant()
  return { apiKey: seeds.firstApiKey, plant }
}
