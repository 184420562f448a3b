import { expect, test } from 'vitest'
import { fetchTransport } from '../../src/index.ts'
import { answerCache } from '../helpers/answer-cache.ts'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'
import { hurried } from '../helpers/preload.ts'
import { scriptedServer } from '../helpers/scripted-server.ts'
import { uploadsDb } from '../helpers/uploads-db.ts'

/** `fh` behind a cache, for which seconds pass between any two requests. */
async function cachedRig(obeys: boolean) {
  const rig = await emulatedRig({ env: hurried })
  let seconds = 0
  const now = () => {
    seconds += 2
    return seconds * 1_000
  }
  const cache = answerCache(fetchTransport(rig.emulator.fetch), { now, obeys })
  const { baseUrl } = await scriptedServer(async (request, response) => {
    const { method = '', url, headers } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { 'x-api-key': key, 'cache-control': control, 'content-type': contentType = '' } = headers
    const body = {
      contentType,
      length: Buffer.concat(chunks).length,
      chunks: async function* () {
        yield* chunks
      },
    }
    const sent = {
      method,
      url: `${rig.baseUrl}${url}`,
      headers: { 'x-api-key': `${key}`, 'cache-control': `${control}` },
    }
    const answered = await cache.send(method === 'POST' ? { ...sent, body } : sent).catch(() => undefined)
    if (answered === undefined) return void request.socket.destroy()
    response.writeHead(answered.status, answered.headers)
    for await (const chunk of answered.body) response.write(chunk)
    response.end()
  })
  await rig.write('a.jpg', jpegBytes(500))
  return {
    ...rig,
    stored: () => rig.emulator.control.health().uploads,
    fh: (line: string, key?: string) =>
      rig.fh(line.split(' '), { env: { FH_BASE_URL: baseUrl, ...(key && { FH_API_KEY: key }) } }),
    age: uploadsDb(rig.home).age,
  }
}

type CachedRig = Awaited<ReturnType<typeof cachedRig>>

async function slugOf({ fh }: CachedRig): Promise<string> {
  const { stdout } = await fh('upload a.jpg')
  return stdout.trim().split('/').at(-1) ?? ''
}

/** The cache keeps that an upload is missing. @returns its slug */
async function missing(rig: CachedRig): Promise<string> {
  const { settings } = rig.emulator.control
  settings.update({ visible_after_ms: 3_600_000 })
  const slug = await slugOf(rig)
  await rig.fh(`show ${slug}`)
  settings.update({ visible_after_ms: 0 })
  rig.age()
  return slug
}

/** What a cache has kept that is wrong by now. Each returns the key in use, if that is a new one. */
const kept: Readonly<Record<string, (rig: CachedRig) => Promise<string | undefined>>> = {
  async 'the list of before an upload whose answer is lost'({ fh, emulator }) {
    await fh('list')
    emulator.control.faults.set([{ match: { method: 'POST' }, times: 1, action: { type: 'commit_then_drop' } }])
    return undefined
  },
  async 'an upload that is deleted'(rig) {
    const slug = await slugOf(rig)
    await rig.fh(`show ${slug}`)
    const { apiKey } = rig.emulator
    await rig.emulator.fetch(`/api/uploads/${slug}`, { method: 'DELETE', headers: { 'X-Api-Key': apiKey } })
    rig.age()
    return undefined
  },
  async 'that an upload is missing'(rig) {
    await missing(rig)
    return undefined
  },
  async 'the list of before an upload with the former key'(rig) {
    await rig.fh('list')
    await rig.fh('upload a.jpg')
    return rig.emulator.control.accounts.regenerateKey(1).api_key
  },
}

test.each(Object.entries(kept))(
  'behind a cache that has kept %s, a file is stored once; the outcome is unknown where the cache does not ask when told to',
  async (_, prepare) => {
    const obedient = await cachedRig(true)
    const { code } = await obedient.fh('upload a.jpg', await prepare(obedient))
    expect([code, obedient.stored()]).toEqual([0, 1])
    const stubborn = await cachedRig(false)
    const ended = await stubborn.fh('upload a.jpg', await prepare(stubborn))
    const why = expect.stringMatching(/was answered from a cache, which proves nothing/)
    expect(ended).toMatchObject({ code: 8, stdout: '', stderr: why })
    expect(stubborn.stored()).toBeLessThanOrEqual(1)
  },
)

test('a cached answer does not make fh delete take an upload for gone', async () => {
  const rig = await cachedRig(false)
  const slug = await missing(rig)
  const { code, stderr } = await rig.fh(`delete --dry-run ${slug}`)
  expect([code, stderr]).toEqual([1, expect.stringContaining('was answered from a cache')])
})
