import { readFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../emulator/index.ts'
import { jpegBytes, mediaPath } from '../../helpers/media.ts'
import { fileForm } from '../../helpers/multipart-form.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { emulated, json, send } from './emulated.ts'

type Ask = (method: string, path: string, options?: Asked) => Promise<string>

interface Asked {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
}

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

const inProcess =
  ({ fetch }: Emulator): Ask =>
  (method, path, options) =>
    whole(fetch(new Request(`http://files.test${path}`, { method, ...options })))

/** The answer as it comes from a socket, its headers in their order. */
async function overSocket(emulator: Emulator): Promise<Ask> {
  const { port } = await emulator.listen()
  return (method, path, { headers = {}, body } = {}) =>
    new Promise((resolve) => {
      const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
      const fields = { Host: 'files.test', Connection: 'close', ...headers, ...length }
      const sent = httpRequest({ port, host: '127.0.0.1', method, path, headers: fields }, (answer) => {
        const chunks: Buffer[] = []
        const end = (how: string) =>
          resolve([answer.statusCode, ...answer.rawHeaders, how, Buffer.concat(chunks).toString('latin1')].join('\n'))
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => end('whole'))
        answer.on('error', () => end('broken'))
      })
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(`broken: ${error.code}`))
      sent.end(body)
    })
}

const photo = await readFile(mediaPath('photo.jpg'))
const clip = await readFile(mediaPath('clip.mp4'))

/** Sixty requests of all kinds, and what is asked of the control API; every answer whole. */
async function story({ apiKey, control }: Emulator, ask: Ask, isReachable: boolean): Promise<readonly string[]> {
  const answers: string[] = []
  const own = { 'X-Api-Key': apiKey }
  const tell = async (method: string, path: string, { headers = own, body }: Asked = {}) => {
    const answer = await ask(method, path, { headers, ...(body !== undefined && { body }) })
    answers.push(answer)
    return answer
  }
  const command = async (method: string, path: string, body?: unknown) => {
    if (isReachable) return tell(method, `/_emulator${path}`, body === undefined ? {} : { body: JSON.stringify(body) })
    return undefined
  }
  const upload = async (bytes: Uint8Array, headers: Readonly<Record<string, string>> = own) => {
    const form = fileForm(bytes)
    const answer = await tell('POST', '/api/upload', { headers: { ...form.headers, ...headers }, body: form.body })
    return /"slug":"([^"]+)"/.exec(answer)?.[1] ?? 'none'
  }

  const slugs: string[] = []
  for (const size of [10, 20, 30, 1_500_000]) slugs.push(await upload(jpegBytes(size)))
  control.settings.update({ thumbnail: 'immediate' })
  slugs.push(await upload(photo))
  control.settings.update({ thumbnail: 'delayed', slug_style: 'uuid' })
  slugs.push(await upload(photo), await upload(clip))
  await control.clock.advance(5_000)
  for (const slug of slugs) {
    await tell('GET', `/api/uploads/${slug}`)
    await tell('GET', `/i/${slug}.jpg`, { headers: { Range: 'bytes=2-40' } })
    await tell('GET', `/t/${slug}`, { headers: {} })
  }
  await tell('GET', '/api/uploads?page=1')
  await tell('GET', '/api/uploads?page=9')
  await tell('GET', `/i/${slugs[0]}`, { headers: { 'Accept-Language': 'ro' } })
  await tell('GET', `/e/${slugs[6]}`, { headers: {} })
  await tell('HEAD', `/i/${slugs[4]}.jpg`, { headers: {} })
  control.faults.set([
    { action: { type: 'status', status: 503 } },
    { action: { type: 'delay', ms: 1_234 } },
    { match: { path: '/i/*' }, action: { type: 'truncate_response', bytes: 17 } },
    { match: { nth: 3 }, action: { type: 'commit_then_drop' } },
  ])
  for (let count = 0; count < 4; count += 1) await tell('GET', '/api/stats')
  await tell('GET', `/i/${slugs[4]}.jpg`, { headers: {} })
  const { id, email, password, api_key } = control.accounts.create()
  answers.push(JSON.stringify({ id, email, password, api_key }))
  slugs.push(await upload(jpegBytes(99), { 'X-Api-Key': api_key }))
  answers.push(control.accounts.regenerateKey(id).api_key)
  await upload(jpegBytes(98), { 'X-Api-Key': api_key })
  control.accounts.addUploads(1, { count: 50 })
  await tell('GET', '/api/uploads?page=2')
  for (const slug of slugs.slice(0, 3)) await tell('DELETE', `/api/uploads/${slug}`)
  await tell('DELETE', '/api/uploads/none')
  await tell('POST', '/api/upload', { body: 'nothing' })
  await upload(Buffer.from('no picture'))
  control.accounts.update(1, { quotas: { burst: 25 } })
  for (let count = 0; count < 4; count += 1) await upload(jpegBytes(100 + count))
  await tell('GET', '/api/nothing')
  await tell('PUT', '/api/stats')
  await command('GET', '/health')
  await command('GET', '/requests')
  await command('GET', '/accounts')
  await command('GET', '/state')
  await command('POST', '/reset')
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
    return await story(emulator, inProcess(emulator), true)
  } finally {
    await emulator.close()
  }
}

/** The usual story, told once for all tests. */
let usual: Promise<readonly string[]> | undefined
const toldOnce = () => {
  usual ??= told()
  return usual
}

test('a story of sixty requests is answered with the same bytes twice, at once and one after the other', async () => {
  const [first, second] = await Promise.all([toldOnce(), told()])
  expect(first.length).toBeGreaterThanOrEqual(60)
  expect(second).toEqual(first)
  expect(await told()).toEqual(first)
  const kinds = first.map((answer) => Number(answer.split('\n')[0])).filter((status) => status > 0)
  expect([...new Set(kinds)].sort()).toEqual([200, 201, 206, 401, 404, 405, 422, 429, 503])
  expect(first.filter((answer) => answer.includes('broken'))).toHaveLength(2)
})

test('the same story in a new data folder has the same answers', async () => {
  expect(await told({ data: temporaryFolder() })).toEqual(await toldOnce())
})

test('another seed, or none, gives other keys and slugs', async () => {
  const upload = async (randomSeed: string | number) => {
    const emulator = await emulated({ ...options, randomSeed })
    return (await json(send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(9))))).upload.slug
  }
  expect(new Set([await upload('story'), await upload('other'), await upload(5)]).size).toBe(3)
  const keys = [await emulated(), await emulated(), await emulated(options), await emulated({ randomSeed: 5 })]
  expect(new Set(keys.map(({ apiKey }) => apiKey)).size).toBe(4)
  expect((await emulated({ randomSeed: '5' })).apiKey).toBe(keys[3]?.apiKey)
})

test('over a socket, the same story has the same bytes, headers in their order included', async () => {
  const run = async () => {
    const emulator = await createEmulator({ ...options, siteUrl: 'http://files.test' })
    try {
      return await story(emulator, await overSocket(emulator), false)
    } finally {
      await emulator.close()
    }
  }
  const [first, second] = await Promise.all([run(), run()])
  expect(second).toEqual(first)
})

test('forty requests at once in one process are answered with the same bytes twice', async () => {
  const run = async () => {
    const emulator = await createEmulator({ ...options, quotas: { burst: 250 } })
    const ask = inProcess(emulator)
    const headers = { 'X-Api-Key': emulator.apiKey }
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => {
        if (at % 4 === 3) return ask('GET', '/api/uploads', { headers })
        const form = fileForm(jpegBytes(10 + ((at * 7) % 5) * 1_000))
        return ask('POST', '/api/upload', { headers: { ...headers, ...form.headers }, body: form.body })
      }),
    )
    await emulator.close()
    return answers
  }
  const first = await run()
  expect(await run()).toEqual(first)
  expect(new Set(first.map((answer) => answer.slice(0, 3)))).toEqual(new Set(['200', '201', '429']))
})

test('after a reset the same requests have the same answers as at the start, seeded accounts and their uploads included', async () => {
  const emulator = await emulated({
    ...options,
    seed: { accounts: [{}, { uploads: [{ count: 3 }, { file: mediaPath('photo.jpg') }] }] },
  })
  const ask = inProcess(emulator)
  const again = async () => {
    const form = fileForm(jpegBytes(40))
    const headers = { 'X-Api-Key': emulator.apiKey }
    const answer = await ask('POST', '/api/upload', { headers: { ...headers, ...form.headers }, body: form.body })
    const state = JSON.stringify((await emulator.control.state.get()).records)
    return [answer, JSON.stringify(emulator.control.accounts.create()), state]
  }
  const first = await again()
  await emulator.control.reset()
  expect(await again()).toEqual(first)
})

test('a restored snapshot that has what is invented next leads to other keys, emails and slugs', async () => {
  const emulator = await emulated(options)
  const { control } = emulator
  const upload = async () => (await json(send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(9))))).upload.slug
  const slugs = [await upload()]
  const accounts = [control.accounts.create()]
  const later = await control.state.get()
  await control.reset()
  await control.state.restore(later)
  slugs.push(await upload())
  accounts.push(control.accounts.create())
  expect(new Set(slugs).size).toBe(2)
  expect(new Set(accounts.flatMap(({ api_key, email }) => [api_key, email])).size).toBe(4)
  await control.state.restore(await control.state.get())
})

test('each run of a data folder makes up other things, as the same runs of another folder do', async () => {
  const runs = async () => {
    const data = temporaryFolder()
    const made: string[] = []
    for (let run = 0; run < 3; run += 1) {
      const emulator = await createEmulator({ ...options, data })
      made.push((await json(send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(9))))).upload.slug)
      made.push(emulator.control.accounts.create().api_key)
      made.push(emulator.control.accounts.regenerateKey(1).api_key)
      await emulator.close()
    }
    return made
  }
  const first = await runs()
  expect(new Set(first).size).toBe(9)
  expect(await runs()).toEqual(first)
})

test('an emulator with a seed still has a control token that cannot be foretold', async () => {
  const [one, other] = [await emulated(options), await emulated(options)]
  expect(one.apiKey).toBe(other.apiKey)
  expect(one.controlToken).not.toBe(other.controlToken)
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, true, {}, null, 5n])('the seed %s is refused', async (randomSeed) => {
  await expect(createEmulator({ randomSeed: randomSeed as never })).rejects.toThrow(
    /The option randomSeed of createEmulator takes a number or a text/,
  )
})
