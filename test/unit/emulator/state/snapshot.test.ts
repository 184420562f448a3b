import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type Snapshot,
  SnapshotError,
} from '../../../../emulator/index.ts'
import { collectBlobs } from '../../../../emulator/state/snapshot-blobs.ts'
import { openMemoryStorage } from '../../../../emulator/storage/open.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { emulated, json, send, sendFile, uploaded } from '../emulated.ts'

const usual = { burst: 20, minute: 60, hour: 1_000, day: 10_000 }

/** An emulator with some data of every kind. */
async function lived(options: EmulatorOptions = {}): Promise<Emulator> {
  return filled(await emulated({ quotas: usual, ...options }))
}

async function filled(emulator: Emulator): Promise<Emulator> {
  const { control } = emulator
  await sendFile(emulator, 2_000)
  await send(emulator, 'GET', '/api/uploads/none')
  control.accounts.create({ suspended: true, ip_allowlist: ['10.0.0.0/8'], quotas: { burst: 5, day: null } })
  control.accounts.addUploads(2, { count: 3, created_at: '2025-12-01T00:00:00Z', interval_seconds: 1.5 })
  control.accounts.update(1, { albums: 2 })
  control.settings.update({ timezone: 'UTC', quota_windows: 'sliding' })
  // The burst window has room for another upload then.
  await control.clock.advance('11s')
  await sendFile(emulator, 3_000)
  return emulator
}

async function slugOf(emulator: Emulator): Promise<string> {
  return (await json(send(emulator, 'GET', '/api/uploads'))).data[0]?.slug ?? ''
}

test('a snapshot of another emulator in a data folder is still there after a restart, the first account with the key shown', async () => {
  const data = temporaryFolder()
  const snapshot = await (await lived()).control.state.get()
  const first = await emulated({ data })
  await first.control.state.restore(snapshot)
  await first.close()
  const second = await emulated({ data, quotas: usual })
  expect((await send(second, 'GET', '/api/stats')).status).toBe(200)
  const { accounts, ...records } = (await second.control.state.get()).records
  expect(records).toMatchObject({ uploads: snapshot.records['uploads'] })
  expect(accounts).toHaveLength(2)
})

test('a restore continues pending thumbnails and keeps finished ones', async () => {
  const one = await emulated()
  const slug = (await uploaded(one, 500)).slug
  const ready = (await uploaded(one, 600)).slug
  await one.control.uploads.update(ready, { thumbnail: 'ready' })
  const snapshot = await one.control.state.get()
  const other = await emulated()
  await other.control.state.restore(snapshot)
  expect((await other.fetch(new Request(`http://h/t/${ready}`))).status).toBe(200)
  expect(JSON.stringify((await other.control.state.get()).records)).toContain('"pending"')
  await other.control.clock.advance('1m')
  expect(JSON.stringify((await other.control.state.get()).records)).not.toContain('"pending"')
  expect((await other.control.uploads.update(slug, {})).slug).toBe(slug)
})

test('uploads with equal bytes share one blob in a snapshot and have their own again after a restore', async () => {
  const one = await emulated()
  await sendFile(one, 700)
  await sendFile(one, 700)
  const snapshot = await one.control.state.get()
  expect(Object.keys(snapshot.blobs)).toHaveLength(1)
  await one.control.state.restore(snapshot)
  await send(one, 'DELETE', `/api/uploads/${await slugOf(one)}`)
  const left = await one.fetch(new Request(`http://h/i/${await slugOf(one)}.jpg`))
  expect((await left.arrayBuffer()).byteLength).toBe(700)
})

test('a snapshot that a reset meets has every file, and the next one has none', async () => {
  const { control } = await lived({ data: temporaryFolder(), settings: { thumbnail: 'never' } })
  const [before, , after] = await Promise.all([control.state.get(), control.reset(), control.state.get()])
  const filesOf = ({ blobs }: Snapshot) => Object.keys(blobs).length
  expect([filesOf(before), filesOf(after)]).toEqual([2, 0])
})

test('a snapshot has no thumbnail that is taken away while it is made', async () => {
  const { control, ...one } = await lived({ data: temporaryFolder() })
  const slug = await oldestFile({ control, ...one })
  await control.uploads.update(slug, { thumbnail: 'ready' })
  const making = control.state.get()
  await control.uploads.update(slug, { thumbnail: 'none' })
  expect((await making).records['uploads']).toHaveLength(control.health().uploads)
})

const session = { id_hash: 'ab'.repeat(32), account_id: 2, opened_at: '2026-01-15T12:00:00.000Z' }

test('sessions are part of a snapshot by the hash of their id, and a reset ends them', async () => {
  const one = await lived()
  const snapshot = await one.control.state.get()
  expect(snapshot.records).toMatchObject({ sessions: [] })
  const signedIn = { ...snapshot, records: { ...snapshot.records, sessions: [session] } }
  await one.control.state.restore(signedIn)
  expect(await one.control.state.get()).toEqual(signedIn)
  await one.control.reset()
  expect((await one.control.state.get()).records).toMatchObject({ sessions: [] })
})

/** Refuses snapshots one after the other, since none changes it. */
let refusing: Emulator
let before: Snapshot

beforeAll(async () => {
  refusing = await filled(await createEmulator({ clock: 'virtual', quotas: usual, onStandstill: () => {} }))
  await refusing.control.uploads.update(await oldestFile(refusing), { thumbnail: 'ready' })
  refusing.control.faults.set([{ action: { type: 'html_error' } }, { action: { type: 'html_error' } }])
  before = await refusing.control.state.get()
})
afterAll(() => refusing.close())

// biome-ignore lint/suspicious/noExplicitAny: the changed copy is no snapshot any more
type Any = any

async function expectRefused(change: (copy: Any) => void, message: RegExp): Promise<void> {
  const restoring = refusing.control.state.restore(spoilt(before, change))
  await expect(restoring).rejects.toThrow(SnapshotError)
  await expect(restoring).rejects.toThrow(message)
  expect(await refusing.control.state.get()).toEqual(before)
}

/** A copy of a snapshot with one change. */
function spoilt(snapshot: Snapshot, change: (copy: Any) => void): Snapshot {
  const copy = JSON.parse(JSON.stringify(snapshot))
  change(copy)
  return JSON.parse(JSON.stringify(copy))
}

type Records = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

/** Fields that are put at a place of the snapshot; undefined takes one away. */
type Spoiling = object | ((records: Records) => object)

const usage = (...ids: readonly (number | null)[]) => ({
  usage: ids.map((id) => ({ account_id: id, logged: 1, charge: {} })),
})
const costly = `scrypt$30$8$5$${'a'.repeat(22)}$${'a'.repeat(43)}`
const ofFirst = (list: string, field: string) => (records: Records) => ({ [field]: records[list]?.[0]?.[field] })

test.each<[string, Spoiling, RegExp]>([
  ['', { version: 4 }, /has version 4, but this release reads only version 5$/],
  ['', { version: 6 }, /only version 5: a newer release of filehost wrote it, update this one/],
  ['', { format: 'x' }, /is not a snapshot/],
  ['', { settings: undefined }, /settings is missing; it takes an object/],
  ['', { blobs: {} }, /lacks the blob [0-9a-f]{64}/],
  ['settings', { colour: 1 }, /There is no setting "colour"/],
  ['faults.1', { id: 1 }, /has duplicates among its fault ids/],
  ['faults.0', { id: 2 ** 53 }, /faults\[0\]\.id takes/],
  ['faults.0', { action: { type: 'none' } }, /faults\[0\]\.action\.type takes one of status, delay/],
  ['records', { sessions: [{ ...session, account_id: 9 }] }, /session belongs to account 9, which it lacks/],
  ['records', { sessions: [session, session] }, /duplicates among its id hashes of sessions/],
  ['records', usage(1, 1), /duplicates among its accounts of usage/],
  ['records.requests.1', { number: 1 }, /requests do not count up in their numbers/],
  ['records.last_ids', { account: 2 ** 52 + 1 }, /account takes a whole number from zero to 4503599627370496/],
  ['records.accounts.1', ofFirst('accounts', 'email'), /duplicates among its emails/],
  ['records.accounts.0', { password_hash: costly }, /accounts\[0\]\.password_hash takes a scrypt hash/],
  ['records.uploads.0', { account_id: 9 }, /belongs to account 9/],
  ['records.uploads.1', ofFirst('uploads', 'slug'), /duplicates among its slugs/],
  ['records.uploads.0', { slug: '../a' }, /uploads\[0\]\.slug takes letters, digits/],
  ['records.uploads.0', { mime_type: 'text/html' }, /uploads\[0\]\.mime_type takes one of image\/jpeg, /],
  ['records.uploads.0', { size_bytes: 1_999 }, /upload \S+ has size_bytes 1999, but its blob has 2000 bytes/],
  ['records.uploads.0.thumbnail', { size_bytes: 1 }, /thumbnail of upload \S+ has size_bytes 1, but its blob has/],
])('a snapshot whose %s has %j is refused, and nothing changes', async (place, spoiling, message) => {
  await expectRefused((copy) => {
    const fields = typeof spoiling === 'function' ? spoiling(copy.records) : spoiling
    Object.assign(within(copy, place), fields)
  }, message)
})

test('a snapshot with other bytes is refused, and nothing changes', async () => {
  const blobs = Object.fromEntries(Object.keys(before.blobs).map((id) => [id, 'AAAA']))
  await expectRefused((copy) => Object.assign(copy, { blobs }), /has other bytes/)
})

function within(copy: object, place: string): object {
  return place.split('.').reduce<object>((found, name) => (name === '' ? found : Reflect.get(found, name)), copy)
}

/** The slug of the first upload, which has bytes. */
async function oldestFile(emulator: Emulator): Promise<string> {
  const { records } = await emulator.control.state.get()
  return (records['uploads'] as readonly { readonly slug: string }[])[0]?.slug ?? ''
}

test('a restore accepts slugs of every style, the highest possible ids and missing settings', async () => {
  const one = await emulated()
  for (const slug_style of ['alnum10', 'nanoid21', 'uuid'] as const) {
    one.control.settings.update({ slug_style })
    one.control.accounts.addUploads(1, { count: 20 })
  }
  const snapshot = await one.control.state.get()
  const last_ids = { account: 2 ** 52, upload: 2 ** 52, request: 2 ** 52 }
  const records = { ...snapshot.records, last_ids }
  await one.control.state.restore(spoilt(snapshot, (copy) => Object.assign(copy, { settings: {}, records })))
  expect((await one.control.state.get()).records).toEqual(records)
  expect(one.control.accounts.create().id).toBe(2 ** 52 + 1)
  await one.control.state.restore(spoilt(snapshot, (copy) => Object.assign(copy.records.last_ids, { account: 0 })))
  expect(one.control.accounts.create().id).toBe(2)
})

test('a snapshot of files larger than its limit is refused with both numbers', async () => {
  const { blobs } = openMemoryStorage()
  const upload = { accountId: 1, title: null, mimeType: 'image/jpeg', views: 0, likes: 0, createdAt: 0 }
  const half = { ...upload, blobId: 'b', sizeBytes: 67_108_865, thumbnail: { state: 'none' } } as const
  const uploads = [1, 2].map((id) => ({ ...half, id, slug: `slug-${id}` }))
  await expect(collectBlobs(uploads, blobs)).rejects.toThrow(
    'The files add up to 134217730 bytes; a snapshot carries up to 134217728',
  )
})

test('a restore does not change a clock of the caller’s', async () => {
  const { control } = await emulated()
  await control.clock.advance('1h')
  const snapshot = await control.state.get()
  const clock = { now: () => 5, sleep: async () => {} }
  const other = await createEmulator({ clock })
  try {
    await other.control.state.restore(snapshot)
    expect(other.clock.now()).toBe(5)
    await expect(other.control.clock.switchTo('virtual')).rejects.toThrow('The emulator was given this clock')
  } finally {
    await other.close()
  }
})
