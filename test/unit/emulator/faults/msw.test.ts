import { setupServer } from 'msw/node'
import { expect, onTestFinished, test } from 'vitest'
import type { FaultAction } from '../../../../emulator/index.ts'
import { emulatorHandlers } from '../../../../emulator/testing/msw.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated } from '../emulated.ts'
import { faultNext } from './fault-next.ts'

async function posted(action: FaultAction) {
  const emulator = await emulated()
  const server = setupServer(...emulatorHandlers(emulator))
  server.listen()
  onTestFinished(() => server.close())
  const consequences = faultNext(emulator, action)
  const form = fileForm(jpegBytes(1_000))
  const headers = { ...form.headers, 'X-Api-Key': emulator.apiKey }
  const answer = fetch('http://filehost.test/api/upload', { method: 'POST', headers, body: new Uint8Array(form.body) })
  return { answer, consequences }
}

test.each<[FaultAction, number]>([
  [{ type: 'reset_before' }, 0],
  [{ type: 'reset_after_body_bytes', bytes: 100 }, 0],
  [{ type: 'commit_then_drop' }, 1],
])('through MSW, the fault %j rejects the global fetch like a broken connection', async (action, uploads) => {
  const { answer, consequences } = await posted(action)
  await expect(answer).rejects.toThrow(TypeError)
  expect(consequences()).toMatchObject({ logged: [{ fault: action.type }], uploads })
})

test('through MSW, a truncated answer has a body that fails', async () => {
  const { answer, consequences } = await posted({ type: 'truncate_response', bytes: 20 })
  const response = await answer
  expect(response.status).toBe(201)
  await expect(response.text()).rejects.toThrow()
  expect(consequences().uploads).toBe(1)
})

test('through MSW, a status fault is answered', async () => {
  const { answer } = await posted({ type: 'status', status: 503 })
  expect([(await answer).status, await (await answer).json()]).toEqual([503, { error: 'API temporarily disabled.' }])
})
