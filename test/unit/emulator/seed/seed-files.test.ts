import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEmulator, type Seed, SeedError } from '../../../../emulator/index.ts'
import { jpegBytes, mediaPath } from '../../../helpers/media.ts'
import { filesIn, temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { callControl } from '../control/control-call.ts'
import { emulated, json, send } from '../emulated.ts'

/** A folder with a seed and the files it names; returns the path of the seed. */
async function seedFile(seed: Seed | string, files: Readonly<Record<string, Uint8Array>> = {}): Promise<string> {
  const folder = temporaryFolder()
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), bytes)
  }
  await writeFile(join(folder, 'seed.json'), typeof seed === 'string' ? seed : JSON.stringify(seed))
  return join(folder, 'seed.json')
}

const photo = await readFile(mediaPath('photo.jpg'))

const shown = { title: 'A photo', views: 7, likes: 2 }

const gallery: Seed = {
  settings: { timezone: 'UTC', thumbnail: 'immediate' },
  accounts: [
    {
      api_key: 'seed-key',
      uploads: [
        { file: 'media/photo.jpg', slug: 'a-photo', ...shown, created_at: '2026-01-01T00:00:00Z' },
        { count: 2 },
      ],
    },
    { api_key: 'other-key', uploads: { file: './media/photo.jpg' } },
  ],
}

test('a seed file adds its accounts, settings and files at the start, and a reset adds them again', async () => {
  const emulator = await emulated({ seed: await seedFile(gallery, { 'media/photo.jpg': photo }) })
  const range = { headers: { Range: 'bytes=1-' } }
  const look = async () => ({
    apiKey: emulator.apiKey,
    shown: (await json(send(emulator, 'GET', '/api/uploads/a-photo'))).upload,
    bytes: Buffer.from(await (await emulator.fetch('/i/a-photo.jpg', range)).arrayBuffer()),
    stats: await json(send(emulator, 'GET', '/api/stats')),
    other: (await json(send(emulator, 'GET', '/api/uploads', { headers: { 'X-Api-Key': 'other-key' } }))).total,
  })
  await emulator.control.clock.advance('1m')
  const first = await look()
  expect(first).toMatchObject({
    apiKey: 'seed-key',
    shown: {
      ...shown,
      size: photo.length,
      mime_type: 'image/jpeg',
      created_at: '2026-01-01T00:00:00+00:00',
      thumb_url: 'http://h/t/a-photo',
    },
    stats: { uploads: 3 },
    other: 1,
  })
  expect(first.bytes.equals(photo.subarray(1))).toBe(true)
  await send(emulator, 'DELETE', '/api/uploads/a-photo')
  emulator.control.settings.update({ max_file_size: 10 })
  await emulator.control.reset()
  await emulator.control.clock.advance('1m')
  expect(await look()).toEqual(first)
})

test('in a seed object, paths are relative to the working folder; options override its settings, also after a reset', async () => {
  const accounts = [{ uploads: { file: 'test/fixtures/media/clip.mp4' } }]
  const seed: Seed = { settings: { title: 'filename', page_size: 3 }, accounts }
  const emulator = await emulated({ seed, settings: { page_size: 4 } })
  expect((await json(send(emulator, 'GET', '/api/uploads'))).data).toMatchObject([{ mime_type: 'video/mp4' }])
  emulator.control.settings.update({ title: null, page_size: 9 })
  await emulator.control.reset()
  expect(emulator.control.settings.get()).toMatchObject({ title: 'filename', page_size: 4 })
})

test('a circular, too deep or missing seed is refused with its place, and a byte order mark is ignored', async () => {
  const marked = await emulated({ seed: await seedFile('\uFEFF{"accounts":[{"albums":4}]}') })
  expect(marked.control.accounts.list()).toMatchObject([{ albums: 4 }])
  await expect(createEmulator({ seed: '/nowhere/seed.json' })).rejects.toThrow(
    'Cannot read the seed /nowhere/seed.json: there is no such file or folder',
  )

  const circle: object[] = []
  circle.push(circle)
  const seed = { accounts: [{ email: circle }] } as unknown as Seed
  await expect(createEmulator({ seed })).rejects.toThrow(
    'The seed: /accounts/0/email takes text of at least one letter',
  )
  const deep = `{"accounts":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  // Not every Node can write it again, to show it.
  await expect(createEmulator({ seed: await seedFile(deep) })).rejects.toThrow(
    /\/accounts\/0 takes an account, but got (a list|\[{80,}…)/,
  )
})

type Uploads = NonNullable<NonNullable<Seed['accounts']>[number]['uploads']>

/** A seed of one account with these uploads. */
const seedOf = (uploads: Uploads, settings = {}): Seed => ({ settings, accounts: [{ uploads }] })
const twice = [1, 2].map(() => ({ file: 'a.jpg', slug: 's' }))

test.each<[string, string | Seed, RegExp]>([
  ['that is not JSON', '{\n  "accounts": [,]\n}', /The seed .*seed\.json is not JSON: Unexpected token ',', .*/],
  ['in UTF-16', '{\0}\0', /The seed .*seed\.json is not JSON: it is UTF-16 text: save it as UTF-8$/],
  [
    'with no file',
    seedOf({ file: 'gone.jpg' }),
    /uploads\/file names gone\.jpg, .* no such file or folder\. Paths are/,
  ],
  ['with a folder', seedOf([{ file: '.' }]), /\/accounts\/0\/uploads\/0\/file names \., .*not a regular file/],
  ['with another type', seedOf({ file: 'seed.json' }), /names seed\.json, which the service refuses: The file/],
  ['with a large file', seedOf({ file: 'a.jpg' }, { max_file_size: 1_024 }), /must not be greater than 1 kilobytes/],
  ['with a slug twice', seedOf(twice), /\/uploads\/1\/slug repeats \/accounts\/0\/uploads\/0\/slug/],
])('a seed file %s is refused with the place in it', async (_, seed, message) => {
  const path = await seedFile(seed, { 'a.jpg': jpegBytes(5_000) })
  const creating = createEmulator({ seed: path })
  await expect(creating).rejects.toThrow(SeedError)
  await expect(creating).rejects.toThrow(message)
})

test('a reset fails without any change if a file of the seed is gone, and names the file', async () => {
  const path = await seedFile(gallery, { 'media/photo.jpg': photo })
  const emulator = await emulated({ seed: path })
  await emulator.control.clock.advance('1m')
  emulator.control.accounts.create()
  const before = await emulator.control.state.get()
  await rm(join(path, '../media/photo.jpg'))
  expect(await callControl(emulator, 'POST', '/reset')).toMatchObject({
    status: 422,
    body: { error: { message: expect.stringContaining('names media/photo.jpg, which cannot be read') } },
  })
  expect(await emulator.control.state.get()).toEqual(before)
})

test('a data folder is seeded once, and a refused seed leaves no files in it', async () => {
  const path = await seedFile(gallery, { 'media/photo.jpg': photo })
  const data = join(path, '../data')
  const first = await emulated({ seed: path, data })
  await send(first, 'DELETE', '/api/uploads/a-photo')
  await first.close()
  const second = await emulated({ seed: path, data })
  expect(second.apiKey).toBe('seed-key')
  expect((await json(send(second, 'GET', '/api/stats'))).uploads).toBe(2)
  await second.close()

  const refused = join(path, '../refused')
  const seed = { accounts: [{ uploads: [{ file: mediaPath('photo.jpg') }, { file: path }] }] }
  await expect(createEmulator({ seed, data: refused })).rejects.toThrow(SeedError)
  expect(filesIn(join(refused, 'blobs'))).toEqual([])
})

test.each<[string, string, unknown]>([
  ['POST', '/accounts/1/uploads', { count: 1, file: '../seed.json' }],
  ['POST', '/accounts', { uploads: { file: '/etc/passwd' } }],
])('no control call can name a file of the machine: %s %s %j', async (method, path, body) => {
  const emulator = await emulated()
  const answer = await callControl(emulator, method, path, body)
  expect(answer).toMatchObject({ status: 422, body: { error: { code: 'invalid-value' } } })
  expect(emulator.control.health().uploads).toBe(0)
})
