import { expect, test } from 'vitest'
import { emulated, send } from '../emulated.ts'
import { callControl } from './control-call.ts'

test('silence 7: creating an account shows its key and password once, and the list begins with the first account', async () => {
  const { control, apiKey } = await emulated()
  const created = control.accounts.create()
  expect(created).toEqual({
    id: 2,
    email: expect.stringMatching(/^[a-z0-9]{8}@example\.com$/),
    password: expect.stringMatching(/^[A-Za-z0-9]{16}$/),
    api_key: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
  })
  expect(apiKey).toMatch(/^[A-Za-z0-9]{40}$/)
  expect(control.accounts.list().map(({ id }) => id)).toEqual([1, 2])
  control.accounts.addUploads(2, { count: 3 })
  expect(control.accounts.get(2)).toEqual({
    id: 2,
    email: created.email,
    suspended: false,
    suspension_reason: null,
    ip_allowlist: [],
    quotas: null,
    albums: 0,
    feed_views: 0,
    uploads: 3,
  })
})

test('an account’s own limits replace the service’s window by window, until they are set to null', async () => {
  const { control } = await emulated({ quotas: { burst: 20, minute: 60, hour: 1_000, day: 10_000 } })
  control.accounts.update(1, { quotas: { burst: 5, day: null } })
  const limits = () => Object.values(control.accounts.quota(1)).map(({ limit }) => limit)
  expect(limits()).toEqual([5, 60, 1_000, null])
  control.settings.update({ quotas: { hour: 7 } })
  expect(limits()).toEqual([5, 60, 7, null])
  control.accounts.update(1, { quotas: null })
  expect(limits()).toEqual([20, 60, 7, 10_000])
})

test('who changes the limits that an account was told with changes no account', async () => {
  const { control } = await emulated()
  const { id } = control.accounts.create({ quotas: 'none' })
  Object.assign(control.accounts.get(id).quotas ?? {}, { minute: 1 })
  const other = control.accounts.create({ quotas: 'none' })
  expect([id, other.id].map((one) => control.accounts.quota(one).minute.limit)).toEqual([null, null])
})

test('the quota of an account shows units used, when they come back and when each request fits', async () => {
  const emulator = await emulated({ quotas: { burst: 12, minute: null, hour: 5, day: 100 } })
  await send(emulator, 'GET', '/api/stats')
  await emulator.control.clock.advance('1s')
  await send(emulator, 'DELETE', '/api/uploads/none')
  const now = '2026-01-15T12:00:01.000Z'
  const { burst, minute, hour } = emulator.control.accounts.quota(1)
  expect(burst).toEqual({
    limit: 12,
    used: 4,
    remaining: 8,
    resets_at: '2026-01-15T12:00:10.000Z',
    fits_at: { upload: '2026-01-15T12:00:10.000Z', delete: now, other: now },
  })
  expect(minute).toMatchObject({ limit: null, used: 4, remaining: null, fits_at: { upload: now } })
  expect(hour.fits_at).toEqual({ upload: null, delete: '2026-01-15T13:00:00.000Z', other: now })
  await emulator.control.clock.advance('1d')
  expect(emulator.control.accounts.quota(1).day).toMatchObject({ used: 0, remaining: 100, resets_at: null })
})

test.each<[object, string]>([
  [{ colour: 'red' }, 'There is no field "colour"; there are suspended, suspension_reason, ip_allowlist, quotas'],
  [{ suspended: 'yes' }, 'The field suspended takes true or false, but got "yes"'],
  [{ ip_allowlist: '127.0.0.1' }, 'The field ip_allowlist takes a list of addresses and CIDR ranges, but got'],
  [{ quotas: { week: 1 } }, 'There is no field "quotas.week"; there are burst, minute, hour, day'],
  [{ albums: -1 }, 'The field albums takes a whole number from zero to 10000, but got -1'],
])('the account change %j is refused', async (patch, message) => {
  const { control } = await emulated()
  expect(() => control.accounts.update(1, { albums: 5, ...patch })).toThrow(message)
  expect(control.accounts.get(1).albums).toBe(0)
})

test('control.clock is set to an instant or advanced by a duration, and refuses any other value', async () => {
  const { control } = await emulated()
  const moves = [
    await control.clock.set('2026-10-25T03:30:00+02:00'),
    await control.clock.advance(1_500),
    await control.clock.advance('500ms'),
    await control.clock.advance('1.5h'),
    await control.clock.set(0),
  ]
  expect(moves.map(({ now }) => now)).toEqual([
    '2026-10-25T01:30:00.000Z',
    '2026-10-25T01:30:01.500Z',
    '2026-10-25T01:30:02.000Z',
    '2026-10-25T03:00:02.000Z',
    '1970-01-01T00:00:00.000Z',
  ])
  await expect(control.clock.set('tomorrow')).rejects.toThrow('The clock takes an instant of the years 1 to 9998')
  await expect(control.clock.set(8.64e15)).rejects.toThrow('The clock cannot be moved')
  await expect(control.clock.advance(true as unknown as number)).rejects.toThrow('The clock cannot be moved')
  await expect(control.clock.advance('soon')).rejects.toThrow('"soon" is not a duration')
  await expect(control.clock.advance('60')).rejects.toThrow('"60" has no unit: write 60s')
  const system = await emulated({ clock: 'system' })
  await expect(system.control.clock.advance('1s')).rejects.toThrow("create the emulator with clock 'virtual'")
})

test('the connection has the current key and the quotas, over HTTP too', async () => {
  const emulator = await emulated({ apiKey: 'first', quotas: { burst: 7 } })
  expect(emulator.control.connection()).toMatchObject({ api_key: 'first', quotas: { burst: 7 } })
  const { api_key } = emulator.control.accounts.regenerateKey(1)
  expect((await callControl(emulator, 'GET', '/connection')).body).toMatchObject({ api_key })
})

test('the connection has the key null after a restore, because snapshots have only hashes', async () => {
  const emulator = await emulated()
  await emulator.control.state.restore(await (await emulated()).control.state.get())
  expect(emulator.control.connection().api_key).toBeNull()
})
