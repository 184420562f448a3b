import type { Clock } from '../../index.ts'
import { type FleetReading, type OpenFleet, openFleet } from '../../pacing/fleet/open-fleet.ts'
import { readCa } from './ca-file.ts'
import { type GivenSettings, readSetting } from './settings.ts'

export type { FleetReading }

/** What the runners of a key share through Redis. */
export type Fleet = OpenFleet

/**
 * The fleet of an account at the Redis server of the setting `ledger`; undefined where none is set. No connection is made
 * before it is used.
 * @throws CliError of code `usage`, naming the place of a value that cannot be used
 */
export async function openFleetOf(
  account: { readonly baseUrl: string; readonly apiKey: string },
  { settings, clock }: { readonly settings: GivenSettings; readonly clock: Clock },
): Promise<Fleet | undefined> {
  const url = readSetting(settings, 'ledger')
  if (url === undefined) return undefined
  return openFleet({ ...account, url, ca: await readCa(settings), clock })
}
