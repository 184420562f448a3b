import { expect, onTestFinished, test, vi } from 'vitest'
import { createVirtualClock } from '../../../../../emulator/clock.ts'
import { createFaultBook } from '../../../../../emulator/faults/fault-book.ts'
import { toFetch } from '../../../../../emulator/http/adapters/fetch-adapter.ts'
import { type AppParts, createApp } from '../../../../../emulator/http/app.ts'
import { createEtiquetteWatch } from '../../../../../emulator/http/etiquette-watch.ts'
import { createService } from '../../../../../emulator/service/service.ts'
import { createSettings } from '../../../../../emulator/settings/settings.ts'
import { createMemoryStorage } from '../../../../../emulator/storage/storage.ts'

const failure = new Error('The disk is full')

const failing = async () => {
  throw failure
}

/** A service whose statistics fail, and the app of it with these parts. */
function failingService() {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const storage = createMemoryStorage()
  onTestFinished(() => storage.close())
  const clock = createVirtualClock()
  const settings = createSettings()
  const working = createService({ ...storage, settings, clock, makeThumbnail: async () => undefined })
  const stats = () => {
    throw failure
  }
  const service = { ...working, stats }
  const etiquette = createEtiquetteWatch(service)
  const usual = { service, settings, clock, faults: createFaultBook(), etiquette, siteUrl: undefined, mark: () => 0 }
  const fetchOf = (parts: Pick<AppParts, 'flushed'>) => toFetch(createApp({ ...usual, control: failing, ...parts }))
  return { service, fetchOf, warn }
}

test('silence 77: an internal error is answered 500 without details, charged and logged', async () => {
  const { service, fetchOf, warn } = failingService()
  const headers = { 'X-Api-Key': service.accounts.create().apiKey }
  const response = await fetchOf({ flushed: async () => {} })(new Request('http://h/api/stats', { headers }))
  expect(response.status).toBe(500)
  expect(await response.text()).toBe('{\n    "message": "Server Error"\n}')
  expect(response.headers.get('X-RateLimit-Cost')).toBe('1')
  expect(service.requests.all()).toMatchObject([{ status: 500, cost: 1, accountId: 1 }])
  expect(warn).toHaveBeenCalledWith(failure)
})

test('a write that cannot be made safe is answered 500, open to other origins, and a read is answered', async () => {
  const { fetchOf, warn } = failingService()
  const fetch = fetchOf({ flushed: failing })
  const write = await fetch(new Request('http://h/api/upload', { method: 'POST' }))
  expect([write.status, write.headers.get('Access-Control-Allow-Origin')]).toEqual([500, '*'])
  expect((await fetch(new Request('http://h/api/stats'))).status).toBe(401)
  expect(warn).toHaveBeenCalledWith(failure)
})

test('a request outside the API that fails is answered 500', async () => {
  const { fetchOf, warn } = failingService()
  const { status, headers } = await fetchOf({ flushed: async () => {} })(new Request('http://h/_emulator/health'))
  expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([500, null])
  expect(warn).toHaveBeenCalledWith(failure)
})
