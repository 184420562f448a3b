import { expect, test } from 'vitest'
import { planDeletions } from '../../../../../src/cli/commands/delete/deletion-plan.ts'
import { resolveSettings } from '../../../../../src/cli/config/settings.ts'
import type { Context } from '../../../../../src/cli/context/context.ts'
import { NotFoundError } from '../../../../../src/index.ts'
import { uploadObject } from '../../../../helpers/media.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const account = { baseUrl: 'http://127.0.0.1:1', apiKey: 'key' }
const slugs = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`)

async function planOf(count: number, found: Parameters<typeof planDeletions>[1] = new Map()) {
  const settings = resolveSettings({ flags: {}, env: {}, profile: {}, profileName: 'default', terminal: false })
  const context = {
    fleet: async () => undefined,
    settings: () => settings,
    clock: { now: () => now },
    io: { env: { FH_STATE_DIR: temporaryFolder() } },
  }
  return await planDeletions(slugs(count), found, account, context as unknown as Context)
}

test('a plan of deletions counts uploads that exist, their bytes if all are known, and three units each', async () => {
  const [one = '', two = '', gone = ''] = slugs(3)
  const found = { [one]: uploadObject, [two]: uploadObject, [gone]: new NotFoundError('no') }
  const plan = { count: 2, bytes: 2 * uploadObject.size, units: 6, endsAt: undefined }
  expect(await planOf(3, new Map(Object.entries(found)))).toEqual(plan)
  expect(await planOf(3)).toEqual({ count: 3, bytes: undefined, units: 9, endsAt: undefined })
})

test('a plan of deletions has an end where quotas make it long, for days as for minutes', async () => {
  const hours = async (count: number) => (((await planOf(count)).endsAt ?? Number.NaN) - now) / 3_600_000
  expect(await hours(60)).toBeCloseTo(3 / 60, 1)
  expect(Math.floor(await hours(1_000))).toBe(2)
  expect(Math.floor((await hours(7_000)) / 24)).toBe(2)
})
