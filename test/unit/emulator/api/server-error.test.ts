import { expect, onTestFinished, test, vi } from 'vitest'
import { App, type AppParts } from '../../../../emulator/api/app.ts'
import { toFetch } from '../../../../emulator/wire/fetch.ts'
import { appParts } from './app-parts.ts'

const failure = new Error('The disk is full')

const failing = async () => {
  throw failure
}

/** A service whose statistics and control API fail, and the app of it with these parts. */
function failingService() {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const parts = appParts()
  const stats = () => {
    throw failure
  }
  const service = { ...parts.service, stats }
  const fetchOf = (more: Partial<AppParts> = {}) =>
    toFetch(new App({ ...parts, service, control: failing, ...more }).handle)
  return { service, fetchOf, warn }
}

test('silence 77: an internal error is answered 500 without details, charged and logged', async () => {
  const { service, fetchOf, warn } = failingService()
  const headers = { 'X-Api-Key': service.accounts.create().apiKey }
  const response = await fetchOf()(new Request('http://h/api/stats', { headers }))
  expect(response.status).toBe(500)
  expect(await response.text()).toBe('{\n    "message": "Server Error"\n}')
  expect(response.headers.get('X-RateLimit-Cost')).toBe('1')
  expect(service.requests.select()).toMatchObject([{ status: 500, cost: 1, accountId: 1 }])
  expect(warn).toHaveBeenCalledWith(failure)
})

test('a write that cannot be made safe is answered 500, open to other origins, and a read is answered', async () => {
  const { fetchOf, warn } = failingService()
  const fetch = fetchOf({ flushed: failing, isDurable: true })
  const write = await fetch(new Request('http://h/api/upload', { method: 'POST' }))
  expect([write.status, write.headers.get('Access-Control-Allow-Origin')]).toEqual([500, '*'])
  expect((await fetch(new Request('http://h/api/stats'))).status).toBe(401)
  expect(warn).toHaveBeenCalledWith(failure)
})

test('a request outside the API that fails is answered 500', async () => {
  const { fetchOf, warn } = failingService()
  const { status, headers } = await fetchOf()(new Request('http://h/_emulator/health'))
  expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([500, null])
  expect(warn).toHaveBeenCalledWith(failure)
})
