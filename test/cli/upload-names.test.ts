import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'

const picture = Buffer.from([0xff, 0xd8, 0xff, 0xe0])

async function rigWithUpload(options: Parameters<typeof emulatedRig>[0] = {}) {
  const rig = await emulatedRig(options)
  await rig.write('photo.jpg', picture)
  const { stdout } = await rig.fh(['upload', '--json', 'photo.jpg'])
  const [{ upload }] = JSON.parse(stdout)
  const count = async () => JSON.parse((await rig.fh(['list', '--json'])).stdout).length
  const asked = () =>
    rig.emulator.control.requests.list().requests.map(({ method, endpoint }) => `${method} ${endpoint}`)
  return { ...rig, slug: upload.slug as string, upload, count, asked }
}

test('a URL of another host with a slug of this account deletes, shows and downloads nothing, and ends with 2', async () => {
  const { fh, slug, baseUrl, count, folder } = await rigWithUpload()
  const url = `https://other.example/i/${slug}`
  for (const args of [['delete', '--yes', slug], ['delete', '-n'], ['show'], ['download']]) {
    const stderr = `fh: ${url} is not the address of an upload at ${baseUrl}\n  Write it like aB3dE6gH9j, or the link that fh upload prints\n`
    expect(await fh([...args, url])).toMatchObject({ code: 2, stdout: '', stderr })
  }
  expect([await count(), await readdir(folder)]).toEqual([1, ['photo.jpg']])
})

test('a URL of another host that the service itself gives an upload counts, for one unit', async () => {
  const { fh, slug, upload, asked, count } = await rigWithUpload({ siteUrl: 'https://site.example' })
  expect(new URL(upload.url).host).toBe('site.example')
  const before = asked().length
  expect((await fh(['show', upload.url])).code).toBe(0)
  expect((await fh(['show', upload.url, 'nothing123'])).code).toBe(3)
  expect((await fh(['delete', '--yes', upload.direct_url])).code).toBe(0)
  const looked = `GET /api/uploads/${slug}`
  expect(asked().slice(before)).toEqual([
    looked,
    looked,
    'GET /api/uploads/nothing123',
    looked,
    `DELETE /api/uploads/${slug}`,
  ])
  expect(await count()).toBe(0)
})

test('a URL below the base URL counts without being looked up, under any name of this machine', async () => {
  const { fh, slug, baseUrl, asked } = await rigWithUpload()
  const before = asked().length
  const url = `${baseUrl.replace('127.0.0.1', 'localhost')}/i/${slug}.jpg`
  expect((await fh(['delete', '--yes', url])).code).toBe(0)
  expect(asked().slice(before)).toEqual([`DELETE /api/uploads/${slug}`])
})
