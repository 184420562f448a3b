import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../../emulator/index.ts'
import { mediaPath } from '../../../helpers/media.ts'
import { sampledRuns } from '../../../sampling/sample.ts'
import { send } from '../emulated.ts'
import { anyStep, severalAccounts } from './steps.ts'

const seeded: EmulatorOptions = {
  apiKey: 'first-key',
  clock: 'virtual',
  seed: {
    settings: { timezone: 'UTC', soft_delay: 'off' },
    accounts: [
      {
        feed_views: 9,
        uploads: [{ file: mediaPath('photo.jpg'), slug: 'a-photo', title: 'Ä', likes: 2 }, { count: 3 }],
      },
      { suspended: true, quotas: { burst: 5, day: null }, ip_allowlist: ['10.0.0.0/8'] },
    ],
  },
}

/** The outcome of the same further requests: answers, faults and log. */
async function next(emulator: Emulator): Promise<unknown> {
  const answers: unknown[] = []
  for (const [method, path] of [
    ['GET', '/api/stats'],
    ['GET', '/api/uploads'],
    ['POST', '/api/upload'],
    ['GET', '/api/uploads/a-photo'],
  ] as const) {
    const response = await send(emulator, method, path).catch(() => undefined)
    const text = await response?.text().catch(() => 'broken')
    const headers = [...(response?.headers ?? [])].filter(
      ([name]) => name.startsWith('x-ratelimit') || name === 'retry-after',
    )
    answers.push([response?.status, text, headers])
  }
  const { requests, kept, dropped } = emulator.control.requests.list()
  return { answers, faults: emulator.control.faults.list(), requests, kept, dropped }
}

test('after any sequence of operations, an emulator restored from a snapshot equals the original and answers alike', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 14 }), async (steps) => {
      const one = await createEmulator(seeded)
      const other = await createEmulator({ clock: 'system', dialect: 'hostile' })
      try {
        for (const step of [...steps, ({ control }: Emulator) => control.clock.switchTo('virtual')]) await step(one)
        other.control.faults.set([{ action: { type: 'reset_before' } }])
        const snapshot = await one.control.state.get()
        await other.control.state.restore(JSON.parse(JSON.stringify(snapshot)))
        expect(await other.control.state.get()).toEqual(snapshot)
        const withKey = { ...other, apiKey: one.apiKey }
        expect(other.control.report()).toEqual(one.control.report())
        expect(await next(withKey)).toEqual(await next(one))
      } finally {
        await one.close()
        await other.close()
      }
    }),
    sampledRuns(60, 12),
  )
})

/** Slugs are random, so they differ between emulators. */
async function comparable({ control }: Emulator): Promise<string> {
  return JSON.stringify(await control.state.get()).replaceAll(/"slug":"[^"]*"/g, '"slug":"…"')
}

test('after any sequence of operations, a reset gives the same snapshot as a new emulator', async () => {
  const fresh = await createEmulator(severalAccounts)
  const expected = await comparable(fresh)
  await fresh.close()
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 12 }), async (steps) => {
      const emulator = await createEmulator(severalAccounts)
      try {
        for (const step of steps) await step(emulator)
        await emulator.control.reset()
        expect(await comparable(emulator)).toBe(expected)
        expect((await send(emulator, 'GET', '/api/stats')).status).toBe(200)
      } finally {
        await emulator.close()
      }
    }),
    sampledRuns(60, 12),
  )
})
