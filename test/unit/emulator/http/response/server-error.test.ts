import { expect, onTestFinished, test, vi } from 'vitest'
import { createVirtualClock } from '../../../../../emulator/clock.ts'
import { createFaultBook } from '../../../../../emulator/faults/fault-book.ts'
import { toFetch } from '../../../../../emulator/http/adapters/fetch-adapter.ts'
import { createApp } from '../../../../../emulator/http/app.ts'
import { createEtiquetteWatch } from '../../../../../emulator/http/etiquette-watch.ts'
import { createService } from '../../../../../emulator/service/service.ts'
import { createSettings } from '../../../../../emulator/settings/settings.ts'
import { createMemoryStorage } from '../../../../../emulator/storage/storage.ts'

test('silence 77: an internal error is answered 500 without details, charged and logged', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const storage = createMemoryStorage()
  onTestFinished(() => storage.close())
  const clock = createVirtualClock()
  const settings = createSettings()
  const service = createService({ ...storage, settings, clock, makeThumbnail: async () => undefined })
  const failure = new Error('The disk is full')
  const stats = () => {
    throw failure
  }
  const control = async () => ({ status: 404, headers: {}, body: null })
  const settled = async () => {}
  const etiquette = createEtiquetteWatch(service)
  const parts = {
    settings,
    clock,
    faults: createFaultBook(),
    etiquette,
    siteUrl: undefined,
    control,
    flushed: settled,
    mark: () => 0,
  }
  const handle = createApp({ ...parts, service: { ...service, stats } })
  const headers = { 'X-Api-Key': service.accounts.create().apiKey }

  const response = await toFetch(handle)(new Request('http://h/api/stats', { headers }))
  expect(response.status).toBe(500)
  expect(await response.text()).toBe('{\n    "message": "Server Error"\n}')
  expect(response.headers.get('X-RateLimit-Cost')).toBe('1')
  expect(service.requests.all()).toMatchObject([{ status: 500, cost: 1, accountId: 1 }])
  expect(warn).toHaveBeenCalledWith(failure)
})

test('a write that cannot be made safe is answered 500, and so is a page that fails', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const storage = createMemoryStorage()
  const clock = createVirtualClock()
  const settings = createSettings()
  const service = createService({ ...storage, settings, clock, makeThumbnail: async () => undefined })
  const failure = new Error('The disk is full')
  const failing = async () => {
    throw failure
  }
  const etiquette = createEtiquetteWatch(service)
  const parts = { service, settings, clock, faults: createFaultBook(), etiquette, siteUrl: undefined, mark: () => 0 }
  const unsafe = toFetch(createApp({ ...parts, control: failing, flushed: failing }))
  expect((await unsafe(new Request('http://h/api/upload', { method: 'POST' }))).status).toBe(500)
  expect((await unsafe(new Request('http://h/api/stats'))).status).toBe(401)
  const broken = toFetch(createApp({ ...parts, control: failing, flushed: async () => {} }))
  expect((await broken(new Request('http://h/_emulator/health'))).status).toBe(500)
  expect(warn).toHaveBeenCalledWith(failure)
})
