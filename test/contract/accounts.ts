import { onTestFinished } from 'vitest'
import type { AddedUploads, NewAccountFields, SettingChanges, UploadBatch } from '../../emulator/index.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import { call } from './media.ts'
import type { Answer, OwnTarget } from './targets.ts'

/** An account that belongs to the test. */
export interface OwnAccount {
  readonly id: number
  /** The target with the account's key. */
  readonly account: OwnTarget
}

export function createAccount(target: OwnTarget, fields: NewAccountFields = {}): OwnAccount {
  const { id, api_key } = target.emulator.control.accounts.create(fields)
  return { id, account: { ...target, apiKey: api_key } }
}

/** An account without quotas that has synthetic uploads, all visible. */
export async function stockedAccount(
  target: OwnTarget,
  batch: UploadBatch,
): Promise<OwnAccount & Pick<AddedUploads, 'slugs'>> {
  const { id, account } = createAccount(target, { quotas: unlimited })
  const { slugs } = target.emulator.control.accounts.addUploads(id, batch)
  await untilVisible(target)
  return { id, account, slugs }
}

/** Waits until new uploads are visible in this dialect. */
export async function untilVisible({ emulator: { control } }: OwnTarget): Promise<void> {
  await control.clock.advance(control.settings.get().visible_after_ms)
}

/** Changes settings until the test ends. */
export function withSettings({ emulator: { control } }: OwnTarget, changes: SettingChanges): void {
  const before = Object.entries(control.settings.get()).filter(([name]) => name in changes)
  onTestFinished(() => void control.settings.update(Object.fromEntries(before)))
  control.settings.update(changes)
}

/** Charges units by asking for the statistics, one unit each. */
export async function spend(account: OwnTarget, units: number): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let unit = 0; unit < units; unit += 1) answers.push(await call(account, 'GET', '/api/stats'))
  return answers
}
