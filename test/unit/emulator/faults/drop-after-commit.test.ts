import { expect, test } from 'vitest'
import { App } from '../../../../emulator/api/app.ts'
import { toFetch } from '../../../../emulator/wire/fetch.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { appParts } from '../api/app-parts.ts'
import { emulated, sendFile } from '../emulated.ts'

test('commit_then_drop breaks the connection only after the change is safe', async () => {
  const { service, faults, ...parts } = appParts()
  const steps: string[] = []
  const flushed = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    steps.push('safe')
  }
  const handle = new App({ ...parts, service, faults, flushed }).handle
  faults.load([{ match: {}, times: 1, action: { type: 'commit_then_drop' }, seen: 0, struck: 0 }])
  const headers = { 'X-Api-Key': service.accounts.create().apiKey }
  await toFetch(handle)(new Request('http://h/api/stats', { headers })).catch(() => steps.push('dropped'))
  expect(steps).toEqual(['safe', 'dropped'])
})

test('an upload whose answer was dropped is in the data folder, with its log entry', async () => {
  const data = temporaryFolder()
  const first = await emulated({ data })
  first.control.faults.set([{ action: { type: 'commit_then_drop' } }])
  await expect(sendFile(first, 1_000)).rejects.toThrow('fetch failed')
  await first.close()
  const second = await emulated({ data })
  expect(second.control.health().uploads).toBe(1)
  expect(second.control.requests.list().requests).toMatchObject([{ status: 201, fault: 'commit_then_drop' }])
  expect(second.control.faults.list()).toEqual([])
})
