import { cpSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createEmulator, type Emulator } from '../../../../emulator/index.ts'
import { unlimited } from '../../../../src/protocol/rate-limits.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { filesIn, temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { sample } from '../../../sampling/sample.ts'
import { json, send, sendFile, uploaded } from '../emulated.ts'

/** A disk on which one write step fails: the steps before it that pass, and those that were taken. */
const disk = { before: Number.POSITIVE_INFINITY, passed: 0 }
const room = () => Object.assign(disk, { before: Number.POSITIVE_INFINITY, passed: 0 })

/** Makes each call of these methods a write step. */
function takeSteps(prototype: object, names: readonly string[], told: object): void {
  for (const name of names) {
    const real = Reflect.get(prototype, name)
    const spy = vi.spyOn(prototype as Record<string, (...args: unknown[]) => unknown>, name)
    spy.mockImplementation(function (this: unknown, ...args) {
      disk.passed += 1
      disk.before -= 1
      if (disk.before === -1) throw Object.assign(new Error('no space left on device'), told)
      return Reflect.apply(real, this, args)
    })
    onTestFinished(() => spy.mockRestore())
  }
}

/** Of the database and of files. */
async function smallDisk() {
  takeSteps(StatementSync.prototype, ['run'], { errcode: 13 })
  const file = await open(import.meta.filename)
  await file.close()
  takeSteps(Object.getPrototypeOf(file), ['writeFile', 'datasync', 'sync'], { code: 'ENOSPC', errno: -28 })
}

/** A data folder with one upload. */
async function template() {
  const place = temporaryFolder()
  const data = join(place, 'template')
  const emulator = await start(data)
  const old = (await uploaded(emulator, 300)).slug
  await emulator.close()
  return { place, data, old }
}

const start = (data: string) =>
  createEmulator({
    data,
    apiKey: 'key',
    clock: 'virtual',
    settings: { thumbnail: 'never' },
    quotas: unlimited,
  })

/** The acknowledged uploads with their sizes. */
type Kept = Map<string, number>

async function upload(emulator: Emulator, size: number, kept: Kept) {
  const response = await sendFile(emulator, size)
  expect([201, 500]).toContain(response.status)
  if (response.status === 201) kept.set((await json(response)).upload.slug, size)
  return response.status
}

async function expectKept(emulator: Emulator, kept: Kept) {
  const listed = await send(emulator, 'GET', '/api/uploads')
  expect(listed.status).toBe(200)
  const slugs = (await json(listed)).data.map(({ slug }) => slug)
  expect(slugs).toEqual(expect.arrayContaining([...kept.keys()]))
  for (const [slug, size] of kept) {
    const file = await emulator.fetch(new Request(`http://h/i/${slug}.jpg`))
    expect(Buffer.from(await file.arrayBuffer()).equals(jpegBytes(size))).toBe(true)
  }
}

/** Upload, upload, delete, patch, list. */
async function scenario(emulator: Emulator, old: string, kept: Kept) {
  await upload(emulator, 400, kept)
  await upload(emulator, 500, kept)
  const deleted = await send(emulator, 'DELETE', `/api/uploads/${old}`)
  expect([200, 500]).toContain(deleted.status)
  // After a failed deletion the upload may exist or not, but that must not change later.
  kept.delete(old)
  for (const slug of [...kept.keys()].slice(0, 1)) {
    const patched = await emulator.control.uploads.update(slug, { title: 'new' }).catch(() => undefined)
    const title = (await json(send(emulator, 'GET', `/api/uploads/${slug}`))).upload.title
    if (patched !== undefined) expect(title).toBe('new')
  }
  await expectKept(emulator, kept)
  return deleted.status
}

/** How many write steps the scenario takes. */
async function countSteps(begun: string, old: string): Promise<number> {
  room()
  const emulator = await start(begun)
  await scenario(emulator, old, new Map([[old, 300]]))
  await emulator.close()
  return disk.passed
}

// About sixty steps, each with a folder and two starts.
test('whichever write step fails, exactly the acknowledged changes are kept, reading works, and later writes work', {
  timeout: 120_000,
}, async () => {
  const warning = vi.spyOn(process, 'emitWarning').mockReturnValue()
  onTestFinished(() => warning.mockRestore())
  await smallDisk()
  const { place, data: begun, old } = await template()
  const counted = join(place, 'counted')
  cpSync(begun, counted, { recursive: true })
  const steps = await countSteps(counted, old)
  expect(steps).toBeGreaterThan(20)
  for (const step of sample([...Array(steps).keys()], 8)) {
    const data = join(place, `step-${step}`)
    cpSync(begun, data, { recursive: true })
    const kept: Kept = new Map([[old, 300]])
    Object.assign(room(), { before: step })
    const emulator = await start(data).catch((error: unknown) => {
      expect(String(error)).toContain(`The folder ${data} cannot be used: `)
    })
    let deleted = 0
    if (emulator !== undefined) {
      deleted = await scenario(emulator, old, kept)
      room()
      if (deleted === 500) expect((await send(emulator, 'DELETE', `/api/uploads/${old}`)).status).toBeLessThan(500)
      expect(await upload(emulator, 600, kept)).toBe(201)
      await expectKept(emulator, kept)
      const listed = (await json(send(emulator, 'GET', '/api/uploads'))).data.length
      await emulator.close()
      // After a failed deletion the bytes may stay until the next start.
      expect(filesIn(join(data, 'blobs')).length).toBeLessThanOrEqual(deleted === 500 ? listed + 1 : listed)
    }
    room()
    const after = await start(data)
    await expectKept(after, kept)
    if (emulator !== undefined) expect((await send(after, 'GET', `/api/uploads/${old}`)).status).toBe(404)
    expect(await upload(after, 700, kept)).toBe(201)
    await after.close()
    rmSync(data, { recursive: true, force: true })
  }
})
