import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../emulator/index.ts'
import { jpegBytes, mediaPath } from '../../helpers/media.ts'
import { fileForm } from '../../helpers/multipart-form.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { emulated, json, type SendOptions, send } from './emulated.ts'

/** One answer whole: status, every header, and the body or how it broke. */
async function whole(response: Promise<Response>): Promise<string> {
  const answer = await response.catch((error: Error) => error)
  if (answer instanceof Error) return `broken: ${answer.message}`
  const head = [answer.status, ...[...answer.headers].map(([name, value]) => `${name}: ${value}`)].join('\n')
  const body = await answer.arrayBuffer().then(
    (bytes) => Buffer.from(bytes).toString('latin1'),
    (error: Error) => `broken: ${error.message}`,
  )
  return `${head}\n\n${body}`
}

const photo = await readFile(mediaPath('photo.jpg'))
const clip = await readFile(mediaPath('clip.mp4'))

const slugIn = (answer: string) => /"slug":"([^"]+)"/.exec(answer)?.[1] ?? 'none'

/** Requests of all kinds, and what is asked of the control API; every answer whole. */
async function story(emulator: Emulator): Promise<readonly string[]> {
  const { control } = emulator
  const answers: string[] = []
  const tell = async (method: string, path: string, options: SendOptions = {}) => {
    const answer = await whole(send(emulator, method, path, options))
    answers.push(answer)
    return answer
  }
  const upload = async (bytes: Uint8Array, key = emulator.apiKey) => {
    const { headers, body } = fileForm(bytes)
    return slugIn(await tell('POST', '/api/upload', { headers: { ...headers, 'X-Api-Key': key }, body }))
  }

  const slugs: string[] = []
  for (const size of [10, 20, 1_500_000]) slugs.push(await upload(jpegBytes(size)))
  control.settings.update({ thumbnail: 'immediate' })
  slugs.push(await upload(photo))
  control.settings.update({ thumbnail: 'delayed', slug_style: 'uuid' })
  slugs.push(await upload(clip))
  await control.clock.advance(5_000)
  for (const slug of slugs) {
    await tell('GET', `/api/uploads/${slug}`)
    await tell('GET', `/i/${slug}.jpg`, { headers: { Range: 'bytes=2-40' } })
    await tell('GET', `/t/${slug}`)
  }
  await tell('GET', '/api/uploads?page=1')
  await tell('GET', `/i/${slugs[0]}`, { headers: { 'Accept-Language': 'ro' } })
  await tell('HEAD', `/i/${slugs[3]}.jpg`)
  control.faults.set([
    { action: { type: 'status', status: 503 } },
    { action: { type: 'delay', ms: 1_234 } },
    { match: { path: '/i/*' }, action: { type: 'truncate_response', bytes: 17 } },
    { match: { nth: 3 }, action: { type: 'commit_then_drop' } },
  ])
  for (let count = 0; count < 4; count += 1) await tell('GET', '/api/stats')
  await tell('GET', `/i/${slugs[3]}.jpg`)
  const { id, email, password, api_key } = control.accounts.create()
  answers.push(JSON.stringify({ id, email, password, api_key }))
  await upload(jpegBytes(99), api_key)
  answers.push(control.accounts.regenerateKey(id).api_key)
  await upload(jpegBytes(98), api_key)
  control.accounts.addUploads(1, { count: 50 })
  await tell('GET', '/api/uploads?page=2')
  for (const slug of slugs.slice(0, 3)) await tell('DELETE', `/api/uploads/${slug}`)
  await upload(Buffer.from('no picture'))
  control.accounts.update(1, { quotas: { burst: 25 } })
  for (let count = 0; count < 4; count += 1) await upload(jpegBytes(100 + count))
  await tell('GET', '/api/nothing')
  await tell('PUT', '/api/stats')
  for (const path of ['health', 'requests', 'accounts', 'state']) await tell('GET', `/_emulator/${path}`)
  await tell('POST', '/_emulator/reset')
  control.settings.update({ thumbnail: 'never' })
  await upload(jpegBytes(5))
  answers.push(JSON.stringify(control.accounts.create()))
  return answers
}

const options: EmulatorOptions = {
  clock: 'virtual',
  randomSeed: 'story',
  quotas: { burst: 2_000, minute: 4_000, hour: null },
  onStandstill: () => {},
}

async function told(more: EmulatorOptions = {}): Promise<readonly string[]> {
  const emulator = await createEmulator({ ...options, ...more })
  try {
    return await story(emulator)
  } finally {
    await emulator.close()
  }
}

test('a story of fifty requests is answered with the same bytes twice, at once and one after the other, in a data folder too', async () => {
  const [first, second] = await Promise.all([told(), told()])
  expect(first.length).toBeGreaterThanOrEqual(50)
  expect(second).toEqual(first)
  expect(await told({ data: temporaryFolder() })).toEqual(first)
  const kinds = first.map((answer) => Number(answer.split('\n')[0])).filter((status) => status > 0)
  expect([...new Set(kinds)].sort()).toEqual([200, 201, 206, 401, 404, 405, 422, 429, 503])
  expect(first.filter((answer) => answer.includes('broken'))).toHaveLength(2)
})

const uploadTo = (emulator: Emulator, bytes = 9) =>
  whole(send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(bytes))))
const slugOf = async (emulator: Emulator) => slugIn(await uploadTo(emulator))

test('another seed, or none, gives other keys and slugs, and the control token can never be foretold', async () => {
  const seeds = ['story', 'story', 'other', 5, '5']
  const seeded = await Promise.all(seeds.map((randomSeed) => emulated({ ...options, randomSeed })))
  const slugs = await Promise.all(seeded.map(slugOf))
  expect([new Set(slugs).size, slugs[1], slugs[4]]).toEqual([3, slugs[0], slugs[3]])
  const all = [...seeded, await emulated(), await emulated()]
  expect(new Set(all.map(({ apiKey }) => apiKey)).size).toBe(5)
  expect(new Set(all.map(({ controlToken }) => controlToken)).size).toBe(7)
  expect(all[0]?.controlToken).toMatch(/^[A-Za-z0-9]{40}$/)
})

test('a restored snapshot that has what is invented next leads to other keys, emails and slugs', async () => {
  const emulator = await emulated(options)
  const { control } = emulator
  const invent = async () => {
    const { api_key, email } = control.accounts.create()
    return [await slugOf(emulator), api_key, email]
  }
  const made = await invent()
  const later = await control.state.get()
  await control.reset()
  await control.state.restore(later)
  expect(new Set([...made, ...(await invent())]).size).toBe(6)
  await control.state.restore(await control.state.get())
})

test('each run of a data folder makes up other things, as the same runs of another folder do', async () => {
  const runs = async () => {
    const data = temporaryFolder()
    const made: string[] = []
    for (let run = 0; run < 3; run += 1) {
      const emulator = await createEmulator({ ...options, data })
      made.push((await json(send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(9))))).upload.slug)
      made.push(emulator.control.accounts.create().api_key, emulator.control.accounts.regenerateKey(1).api_key)
      await emulator.close()
    }
    return made
  }
  const first = await runs()
  expect(new Set(first).size).toBe(9)
  expect(await runs()).toEqual(first)
})
