import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { resolveOptions } from '../../emulator/options.ts'
import { createSharedLedger } from '../../src/index.ts'
import { unheard } from '../helpers/faulty-transport.ts'
import { inProcessClient } from '../helpers/in-process-client.ts'
import { jpegBytes } from '../helpers/media.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { until } from '../helpers/until.ts'

/** The lines that are written to standard error from now on. */
function errorLines(): readonly string[] {
  const lines: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  onTestFinished(() => spy.mockRestore())
  return lines
}

const ofCut = unheard['a cut after the whole body']

/** Each makes a function of its own: a failure is told once for each. */
const throwing = () => () => {
  throw new Error('mine')
}
const failing = { throws: throwing, rejects: () => async () => Promise.reject(new Error('mine')) }
const ways = Object.entries(failing)
const names = ['onEvent', 'onProgress', 'onBytes', 'onState'] as const
const ofUpload = names.flatMap((name) => ways.map(([way, fails]) => ({ name, way, fails })))

test.each(ofUpload)('an upload is stored although its $name $way, which is told once', async ({ name, fails }) => {
  const lines = errorLines()
  const { client, stored } = await inProcessClient({ faults: { POST: [ofCut] } })
  const { slug } = await client.upload(jpegBytes(600_000), { [name]: fails() })
  expect(await stored()).toMatchObject([{ slug, size: 600_000 }])
  await until(() => lines.length > 0)
  expect(lines).toEqual([expect.stringMatching(new RegExp(`^filehost: ${name} of .* failed, .*Error: mine`))])
})

test.each(ways)('every call succeeds although the client’s onEvent %s', async (_, fails) => {
  const lines = errorLines()
  const { client } = await inProcessClient({ client: { onEvent: fails() } })
  const { slug } = await client.upload(jpegBytes(100))
  expect(await client.show(slug)).toMatchObject({ slug })
  await client.delete(slug)
  await until(() => lines.length > 0)
  expect(lines).toHaveLength(1)
})

test('an onBytes that aborts the upload keeps back the bytes that it was called with', async () => {
  const { client, stored } = await inProcessClient({})
  const controller = new AbortController()
  const sending = client.upload(jpegBytes(100), { signal: controller.signal, onBytes: () => controller.abort() })
  await expect(sending).rejects.toMatchObject({ name: 'AbortError' })
  expect(await stored()).toEqual([])
})

test('reconcile looks again although its onWaiting throws', async () => {
  const lines = errorLines()
  const { client } = await inProcessClient({})
  const intent = { size: 7, mimeType: 'image/png', startedAt: 0, endedAt: null, knownSlugs: [] }
  expect(await client.reconcile([intent], { onWaiting: throwing() })).toEqual([{ type: 'not-stored' }])
  expect(lines).toHaveLength(1)
})

test('a shared ledger counts on although its onProblem throws', async () => {
  const lines = errorLines()
  const folder = join(await temporaryFolder(), 'file')
  await writeFile(folder, '')
  const account = { baseUrl: 'http://127.0.0.1', apiKey: 'key', limits: {} }
  const ledger = createSharedLedger({ ...account, folder, onProblem: throwing() })
  expect(await ledger.reserve(1)).toMatchObject({ type: 'granted' })
  expect(lines).toHaveLength(1)
})

test('an emulator goes on although its onStandstill throws', async () => {
  const lines = errorLines()
  const { onStandstill } = await resolveOptions({ onStandstill: throwing() })
  onStandstill({ now: '2026-01-01T00:00:00Z', until: undefined })
  expect(lines).toHaveLength(1)
})
