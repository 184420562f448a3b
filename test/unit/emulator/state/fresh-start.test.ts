import { expect, test } from 'vitest'
import { controlRoutes } from '../../../../emulator/control/http/routes.ts'
import type { Emulator, EmulatorOptions } from '../../../../emulator/index.ts'
import { loggedFields } from '../../../../emulator/storage/record-types.ts'
import { snakeCase } from '../../../../emulator/values/codec.ts'
import { callControl } from '../control/control-call.ts'
import { emulated, send, sendFile } from '../emulated.ts'

const options: EmulatorOptions = {
  apiKey: 'first-key',
  randomSeed: 'fresh start',
  quotas: { burst: 20, minute: null, hour: null, day: null },
  seed: { accounts: [{ uploads: { count: 2 } }, {}] },
}

/** Fills every field of the log. Its faults are gone in the end, since no id of one is given twice. */
async function story(emulator: Emulator): Promise<void> {
  const { control } = emulator
  await sendFile(emulator, 900)
  control.faults.set([{ match: { path: '/api/stats' }, action: { type: 'html_error' } }])
  await send(emulator, 'GET', '/api/stats')
  control.faults.clear()
  await emulator.fetch('/api/stats?api_key=wrong')
  for (let sent = 0; sent < 3; sent += 1) await sendFile(emulator, 1_000 + sent)
  control.requests.clear({ status: 401 })
  control.accounts.create()
  control.settings.update({ timezone: 'UTC' })
  await control.clock.advance('5s')
}

/** Of this machine's time, or lasting as the documents say. */
const passedOver = new Set(['duration_ms', 'time', 'wait', 'fault_id'])
const plain = (found: unknown) =>
  JSON.parse(JSON.stringify(found, (name, value) => (passedOver.has(name) ? undefined : value)))

/** All that the control API tells, by path: each of its routes is asked, those with a number for all that there are. */
async function told(emulator: Emulator): Promise<Readonly<Record<string, unknown>>> {
  const { control } = emulator
  const idsOf = (path: string) => {
    if (path.startsWith('/accounts/')) return control.accounts.list().map(({ id }) => id)
    return control.requests.list().requests.map(({ number }) => number)
  }
  const answers: Record<string, unknown> = {}
  for (const { method, path, streamed } of controlRoutes) {
    if (method !== 'GET' || streamed === 'text/event-stream') continue
    const paths = path.includes('{') ? idsOf(path).map((id) => path.replace(/\{.*?\}/, String(id))) : [path]
    for (const each of paths) answers[each] = plain((await callControl(emulator, 'GET', each)).body)
  }
  return answers
}

test('after a reset the same story leaves what it leaves in a new emulator, field by field', async () => {
  const [used, fresh] = [await emulated(options), await emulated(options)]
  await story(used)
  await send(used, 'GET', '/api/uploads')
  await used.control.reset()
  expect(await told(used)).toEqual(await told(fresh))
  await story(used)
  await story(fresh)
  expect(await told(used)).toEqual(await told(fresh))
  const { requests } = fresh.control.requests.list()
  const seen = new Set(requests.flatMap((request) => Object.keys(request)))
  expect(Object.keys(loggedFields).filter((name) => !seen.has(snakeCase(name)))).toEqual([])
  expect(requests.map(({ number }) => number)).toEqual([1, 2, 4, 5, 6])
})

/** Without what a restore forgets: exchanges, which are in memory alone, and the first key, of which a snapshot has the hash. */
function lasting(all: Readonly<Record<string, unknown>>) {
  const { '/requests.har': _, '/connection': __, ...rest } = all
  const of = ([path, answer]: [string, unknown]) =>
    path.startsWith('/requests/') ? [path, { ...Object(answer), exchange: null }] : [path, answer]
  return Object.fromEntries(Object.entries(rest).map(of))
}

test('a restored snapshot tells field by field what the original told, here and in a new emulator, and goes on alike', async () => {
  const original = await emulated(options)
  await story(original)
  const snapshot = JSON.parse(JSON.stringify(await original.control.state.get()))
  const before = lasting(await told(original))
  const [here, there] = [await emulated(options), await emulated({ settings: { timezone: 'Asia/Tokyo' } })]
  await story(here)
  for (const restored of [here, there]) {
    await restored.control.state.restore(snapshot)
    expect(lasting(await told(restored))).toEqual(before)
  }
  const next = async (emulator: Emulator) => {
    await send({ ...emulator, apiKey: 'first-key' }, 'DELETE', '/api/uploads/none')
    return emulator.control.requests.list({ limit: 1 }).requests
  }
  const [row] = await next(original)
  expect(row).toMatchObject({ number: 7, breach: { kind: 'before_retry_after' } })
  expect([await next(here), await next(there)]).toEqual([[row], [row]])
})

test('a request has the number that it has without readers, though the log is read, cleared in part and kept', async () => {
  const numbersOf = async (look: (emulator: Emulator) => unknown) => {
    const emulator = await emulated()
    for (const path of ['/api/1', '/api/2', '/api/stats', '/api/3']) {
      await send(emulator, 'GET', path)
      await look(emulator)
    }
    emulator.control.requests.clear({ path: '/api/stats' })
    await look(emulator)
    emulator.control.requests.clear({ path: '/api/3' })
    await send(emulator, 'GET', '/api/4')
    return emulator.control.requests.list().requests.map(({ number }) => number)
  }
  expect(await numbersOf(() => {})).toEqual([1, 2, 5])
  expect(await numbersOf(({ control }) => control.requests.list())).toEqual([1, 2, 5])
  expect(await numbersOf(({ control }) => control.state.get())).toEqual([1, 2, 5])
})
