import type { WindowName } from '../../src/protocol/rate-limits.ts'
import type { EmulatorClock } from '../clock/clock.ts'
import type { NewAccount } from '../service/accounts.ts'
import type { Service } from '../service/service.ts'
import type { GivenQuotas } from '../settings/quota-limits.ts'
import { type AccountRecord, accountInfo, accountSettings } from '../storage/record-types.ts'
import { type JsonFieldsOf, objectOf, orNull } from '../values/codec.ts'
import { readFields } from '../values/reading.ts'
import { apiKey, count, instant, nonEmptyText, password } from '../values/value-type.ts'
import { type AddedUploads, parseUploadBatch, type UploadBatch } from './upload-batch.ts'

/** An account. Its key and password are shown only in the answer that creates it. */
export interface AccountInfo extends ReturnType<typeof accountInfo.write> {
  /** How many uploads it has. */
  readonly uploads: number
}

export interface CreatedAccount {
  readonly id: number
  readonly email: string
  readonly password: string
  readonly api_key: string
}

/** The quotas of one account; null: those of every account. */
interface OwnQuotas {
  readonly quotas?: GivenQuotas | null
}

/** Changes to an account. */
export interface AccountPatch extends Omit<Partial<JsonFieldsOf<typeof accountSettings>>, 'quotas'>, OwnQuotas {}

/** A new account; the key, email and password are random by default. */
export interface NewAccountFields extends Omit<Partial<JsonFieldsOf<typeof newAccountFields>>, 'quotas'>, OwnQuotas {}

export const newAccountFields = { apiKey, email: nonEmptyText, password, ...accountSettings }

/** One window of an account; instants are ISO 8601. */
export interface WindowInfo extends JsonFieldsOf<typeof windowFields> {}

const windowFields = {
  /** Null if the window is unlimited; `remaining` is null then too. */
  limit: orNull(count),
  used: count,
  remaining: orNull(count),
  /** Null while no window is open. */
  resetsAt: orNull(instant),
  /** When a request of each kind next fits; null if it never does. */
  fitsAt: objectOf({ upload: orNull(instant), delete: orNull(instant), other: orNull(instant) }),
}

const windowInfo = objectOf(windowFields)
const windowInfos = objectOf({ burst: windowInfo, minute: windowInfo, hour: windowInfo, day: windowInfo })

/**
 * Makes an account for the control API or a seed.
 * @throws TypeError saying what a field takes; TakenError
 */
export function createAccount({ accounts }: Pick<Service, 'accounts'>, fields: NewAccountFields): NewAccount {
  const { apiKey, email, password, ...settings } = readFields(fields, newAccountFields)
  const made = accounts.create({ apiKey, email, password })
  accounts.update(made.account.id, settings)
  return made
}

export function createAccountControl(service: Service, clock: EmulatorClock) {
  const { accounts, quota, stats, uploads } = service
  const show = (account: AccountRecord): AccountInfo => ({
    ...accountInfo.write(account),
    uploads: stats(account).uploads,
  })
  return {
    /**
     * One account per test isolates tests from each other.
     * @throws TypeError saying what a field takes; TakenError if another account has the key or the email
     */
    create(fields: NewAccountFields = {}): CreatedAccount {
      const { account, password, apiKey } = createAccount({ accounts }, fields)
      return { id: account.id, email: account.email, password, api_key: apiKey }
    },
    /** The first account first. */
    list: (): readonly AccountInfo[] => accounts.all().map(show),
    get: (id: number): AccountInfo => show(accounts.get(id)),
    /** @throws TypeError saying what a field takes */
    update: (id: number, patch: AccountPatch): AccountInfo =>
      show(accounts.update(id, readFields(patch, accountSettings))),
    /** Removes the account with its uploads. */
    async delete(id: number): Promise<{ readonly deleted: true }> {
      accounts.remove(id)
      return { deleted: true }
    },
    /** The old key stops working at once (spec 5.9). */
    regenerateKey: (id: number): { readonly api_key: string } => ({ api_key: accounts.regenerateKey(id) }),
    quota: (id: number): Readonly<Record<WindowName, WindowInfo>> =>
      windowInfos.write(quota.report(accounts.get(id), clock.now())),
    /**
     * Adds synthetic uploads; a million take seconds.
     * @throws TypeError saying what a field takes
     */
    addUploads(id: number, batch: UploadBatch): AddedUploads {
      const parsed = parseUploadBatch(batch, clock.now())
      return { created: parsed.count, slugs: uploads.addSynthetic(id, parsed) }
    },
  }
}

/** Every call with an id throws a MissingRecordError if there is no such account. */
export type AccountControl = ReturnType<typeof createAccountControl>
