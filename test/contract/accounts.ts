import { onTestFinished } from 'vitest'
import type { AddedUploads, NewAccountFields, SettingChanges, UploadBatch } from '../../emulator/index.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import { call } from './media.ts'
import type { Answer, OwnTarget } from './targets.ts'

/** An account of the test's own. */
export interface OwnAccount {
  readonly id: number
  /** The same service with the account's key. */
  readonly account: OwnTarget
}

export function createAccount(target: OwnTarget, fields: NewAccountFields = {}): OwnAccount {
  const { id, api_key } = target.emulator.control.accounts.create(fields)
  return { id, account: { ...target, apiKey: api_key } }
}

/** An account without quotas that has uploads nobody sent, all of them visible. */
export async function stockedAccount(
  target: OwnTarget,
  batch: UploadBatch,
): Promise<OwnAccount & Pick<AddedUploads, 'slugs'>> {
  const { id, account } = createAccount(target, { quotas: unlimited })
  const { slugs } = target.emulator.control.accounts.addUploads(id, batch)
  await untilVisible(target)
  return { id, account, slugs }
}

/** Lets as much time pass as uploads of this dialect take to be seen. */
export async function untilVisible({ emulator: { control } }: OwnTarget): Promise<void> {
  await control.clock.advance(control.settings.get().visible_after_ms)
}

/** Changes settings until the test is over. */
export function withSettings({ emulator: { control } }: OwnTarget, changes: SettingChanges): void {
  const before = Object.entries(control.settings.get()).filter(([name]) => name in changes)
  onTestFinished(() => void control.settings.update(Object.fromEntries(before)))
  control.settings.update(changes)
}

/** Asks for the statistics, a unit each time. */
export async function spend(account: OwnTarget, units: number): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let unit = 0; unit < units; unit += 1) answers.push(await call(account, 'GET', '/api/stats'))
  return answers
}
