import { expect, test } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, send } from '../emulated.ts'
import { landed, page, problemBeside, section, sendFile, sendForm } from './looking.ts'

test('a snapshot is downloaded under a name without a secret, and restored by a form', async () => {
  const emulator = await emulated({ apiKey: 'first-account-key' })
  await send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(10)))
  const answer = await emulator.fetch('http://h/_emulator/ui/state/snapshot')
  expect(answer.headers.get('content-disposition')).toBe(
    'attachment; filename="filehost-emulator-2026-01-15T12-00-00.json"',
  )
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const text = await answer.text()
  expect(text).not.toContain('first-account-key')
  const other = await emulated()
  const restored = await sendFile(other, 'state/restore', 'snapshot', new File([text], 'state.json'))
  expect(await landed(other, restored)).toContain('The snapshot is restored: 1 upload with ')
  expect((await send(other, 'GET', '/api/uploads', { headers: { 'X-Api-Key': 'first-account-key' } })).status).toBe(200)
})

const megabyte = 1_048_576

test.each([
  ['that is no JSON', new File(['x'.repeat(megabyte)], 'a.txt'), 'This is not JSON'],
  ['that is empty', new File([''], 'a.json'), 'This is not JSON'],
  ['of too many levels', new File(['['.repeat(megabyte)], 'a.json'), 'Its lists and objects are nested too deep'],
  ['that is a list', new File([JSON.stringify(Array(300_000).fill(null))], 'a.json'), 'This is not a snapshot'],
  ['of zero bytes', new File([new Uint8Array(megabyte)], 'a.json'), 'This is not JSON'],
  ['of a later version', new File(['{"format":"filehost-emulator","version":2}'], 'a.json'), 'update this one'],
])('a file %s changes nothing and says why', async (_, file, reason) => {
  const emulator = await emulated()
  emulator.control.accounts.addUploads(1, { count: 2 })
  const before = await emulator.control.state.get()
  const answer = await sendFile(emulator, 'state/restore', 'snapshot', file)
  const problem = problemBeside(await answer.text(), 'snapshot')
  expect([answer.status, problem]).toEqual([422, expect.stringMatching(/^Wrong file: nothing changed\. /)])
  expect(problem).toContain(reason)
  expect(await emulator.control.state.get()).toEqual(before)
})

test('a snapshot that is wrong deep inside is named with its place, and nothing changes', async () => {
  const emulator = await emulated()
  const snapshot = await emulator.control.state.get()
  const wrong = { ...snapshot, settings: { ...snapshot.settings, page_size: '<b>' }, padding: 'x'.repeat(megabyte) }
  const answer = await sendFile(emulator, 'state/restore', 'snapshot', new File([JSON.stringify(wrong)], 's.json'))
  expect(problemBeside(await answer.text(), 'snapshot')).toContain('page_size takes a whole number')
  expect(await emulator.control.state.get()).toEqual(snapshot)
})

test.each([
  ['text instead of a file', 'text'],
  ['no file chosen', new File([''], '')],
])('a restore with %s asks for a file', async (_, file) => {
  const answer = await sendFile(await emulated(), 'state/restore', 'snapshot', file)
  expect([answer.status, problemBeside(await answer.text(), 'snapshot')]).toEqual([
    422,
    'Choose the file of a snapshot',
  ])
})

test('a restore from another page changes nothing', async () => {
  const emulator = await emulated()
  emulator.control.accounts.addUploads(1, { count: 2 })
  const file = new File([JSON.stringify(await (await emulated()).control.state.get())], 's.json')
  const answer = await sendFile(emulator, 'state/restore', 'snapshot', file, { 'Sec-Fetch-Site': 'same-site' })
  expect([answer.status, emulator.control.health().uploads]).toEqual([403, 2])
})

test('a reset takes a second step', async () => {
  const emulator = await emulated()
  emulator.control.accounts.addUploads(1, { count: 2 })
  const refused = await sendForm(emulator, 'state/reset')
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining('Tick this to reset the emulator'),
  ])
  expect(emulator.control.health().uploads).toBe(2)
  const answer = await sendForm(emulator, 'state/reset', { sure: 'yes' })
  expect(await landed(emulator, answer)).toContain('Everything is back at the seed: 0 uploads')
  expect(emulator.control.health().uploads).toBe(0)
})

test('restores and resets at the same time leave one whole state', async () => {
  const emulator = await emulated()
  emulator.control.accounts.addUploads(1, { count: 5 })
  const text = JSON.stringify(await emulator.control.state.get())
  const answers = await Promise.all(
    [1, 2, 3, 4].flatMap(() => [
      sendFile(emulator, 'state/restore', 'snapshot', new File([text], 's.json')),
      sendForm(emulator, 'state/reset', { sure: 'yes' }),
    ]),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(303))
  expect([0, 5]).toContain(emulator.control.health().uploads)
  expect((await emulator.control.state.get()).format).toBe('filehost-emulator')
})

test('the environment has the variables that differ from a client’s defaults, quoted for each shell', async () => {
  const emulator = await emulated({ apiKey: "it's-$key", quotas: { burst: 5 }, maxFileSizeBytes: 1_024 })
  const text = section(await page(emulator), 'state')
  const blocks = [...text.matchAll(/<pre id="env-[a-z]+"[^>]*>([^<]*)<\/pre>/g)].map(([, block = '']) =>
    block.replaceAll('&#39;', "'").replaceAll('&quot;', '"').split('\n'),
  )
  const limits = expect.stringContaining('burst=5,minute=')
  expect(blocks).toEqual([
    [
      "export FH_BASE_URL='http://h'",
      "export FH_API_KEY='it'\\''s-$key'",
      "export FH_EMULATOR_URL='http://h/_emulator'",
      limits,
      "export FH_MAX_FILE_SIZE='1024'",
    ],
    [
      "$env:FH_BASE_URL = 'http://h'",
      "$env:FH_API_KEY = 'it''s-$key'",
      "$env:FH_EMULATOR_URL = 'http://h/_emulator'",
      limits,
      "$env:FH_MAX_FILE_SIZE = '1024'",
    ],
    [
      'FH_BASE_URL=http://h',
      "FH_API_KEY=`it's-$key`",
      'FH_EMULATOR_URL=http://h/_emulator',
      limits,
      'FH_MAX_FILE_SIZE=1024',
    ],
  ])
  expect([...text.matchAll(/>(Copy [^<]+)</g)].map(([, name]) => name)).toEqual([
    'Copy sh commands',
    'Copy PowerShell commands',
    'Copy .env lines',
  ])
})

test('the environment says that a key is missing where the accounts come from a snapshot', async () => {
  const emulator = await emulated()
  await emulator.control.state.restore(await (await emulated()).control.state.get())
  const text = section(await page(emulator), 'state')
  expect(text).toContain('FH_API_KEY is missing')
  expect(text).not.toContain('export FH_API_KEY')
})
