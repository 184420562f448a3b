import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient, nodeTransport } from '../../src/index.ts'
import { uploadObject } from '../helpers/media.ts'
import { scriptedClient } from '../helpers/scripted-client.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const bytes = '0123456789'
const { slug } = uploadObject
const whole: Step = (_, response) => response.writeHead(200, { ETag: '"one"', 'Content-Length': 10 }).end(bytes)

/** A client of a service that shows an upload of ten bytes, and answers each request for its file with the next step. */
async function siteOf(...steps: readonly Step[]) {
  const files: { range: string | undefined; key: unknown }[] = []
  const server = await scriptedServer((request, response) => {
    const { host, range, 'x-api-key': key } = request.headers
    if (request.url?.startsWith('/api/')) {
      const upload = { ...uploadObject, size: 10, direct_url: `http://${host}/i/a.jpg` }
      return answer(200, { upload })(request, response)
    }
    const step = steps[Math.min(files.length, steps.length - 1)]
    files.push({ range, key })
    return step?.(request, response)
  })
  const client = createClient({ baseUrl: server.baseUrl, apiKey: 'key', transport: nodeTransport() })
  onTestFinished(() => client.close())
  const folder = temporaryFolder()
  return { client, folder, path: join(folder, 'a.jpg'), files }
}

const content = async (path: string) => await readFile(path, 'utf8')

test('client.download brings a file to a path without sending the key, and leaves nothing beside it', async () => {
  const { client, folder, path, files } = await siteOf(whole)
  const progress: unknown[] = []
  const upload = await client.download(slug, path, { onProgress: (now) => progress.push(now) })
  expect([upload.slug, await content(path)]).toEqual([slug, bytes])
  expect(files).toEqual([{ range: undefined, key: undefined }])
  expect(progress.at(-1)).toEqual({ received: 10, total: 10 })
  expect(await readdir(folder)).toEqual(['a.jpg'])
})

test.each<[string, Step]>([
  ['there is no file', answer(404, '')],
  [
    'the file is packed in an unknown way',
    (_, response) => response.writeHead(200, { 'Content-Encoding': 'zstd' }).end('x'),
  ],
  ['another file is there', (_, response) => response.writeHead(200, { 'Content-Length': 3 }).end('abc')],
  ['the connection breaks before the first byte', (_, response) => response.destroy()],
  [
    'none of the file comes',
    (_, response) => response.writeHead(200, { ETag: '"one"', 'Content-Length': 10 }).flushHeaders(),
  ],
])('a download leaves no empty part where %s', async (_, step) => {
  const { client, folder, path } = await siteOf(step)
  const signal = AbortSignal.timeout(300)
  await expect(client.download(slug, path, { signal })).rejects.toThrow()
  expect(await readdir(folder)).toEqual([])
})

test('a file of the upload’s size counts as it and is not fetched; another one is replaced by force alone', async () => {
  const { client, path, files } = await siteOf(whole)
  await writeFile(path, 'abcdefghij')
  await Promise.all([client.download(slug, path), client.download(slug, path)])
  await writeFile(path, 'mine')
  await expect(client.download(slug, path)).rejects.toMatchObject({
    code: 'file-exists',
    message: `${path} exists already`,
    hint: 'Give force: true to replace it, or choose another file',
  })
  expect([files.length, await content(path)]).toEqual([0, 'mine'])
  await client.download(slug, path, { force: true })
  expect(await content(path)).toBe(bytes)
})

test('a file that appears at the path during the download is kept', async () => {
  const { client, path } = await siteOf(async (request, response) => {
    await writeFile(path, 'mine')
    return whole(request, response)
  })
  await expect(client.download(slug, path)).rejects.toMatchObject({ code: 'file-exists' })
  expect(await content(path)).toBe('mine')
})

test('a download whose part is removed meanwhile fails, and says so', async () => {
  const { client, path } = await siteOf(async (request, response) => {
    await rm(`${path}.part`)
    return whole(request, response)
  })
  await expect(client.download(slug, path)).rejects.toMatchObject({
    code: 'file-unwritable',
    message: `${path} cannot be written: its part was removed`,
  })
})

test('a download that is aborted leaves its part, which the next one continues', async () => {
  const half: Step = (_, response) =>
    response.writeHead(200, { ETag: '"one"', 'Content-Length': 10 }).write(bytes.slice(0, 5))
  const rest: Step = (_, response) =>
    response.writeHead(206, { ETag: '"one"', 'Content-Range': 'bytes 5-9/10' }).end(bytes.slice(5))
  const { client, folder, path, files } = await siteOf(half, rest)
  const stop = new AbortController()
  const onProgress = ({ received }: { received: number }) => received === 5 && stop.abort()
  await expect(client.download(slug, path, { signal: stop.signal, onProgress })).rejects.toMatchObject({
    name: 'AbortError',
  })
  expect((await readdir(folder)).sort()).toEqual(['a.jpg.part', 'a.jpg.part.json'])
  await client.download(slug, path)
  expect([await content(path), files[1]?.range, await readdir(folder)]).toEqual([bytes, 'bytes=5-', ['a.jpg']])
})

test('an upload without an http address has no file to download, and no part is made', async () => {
  const { client } = await scriptedClient([
    answer(200, { upload: { ...uploadObject, direct_url: 'file:///etc/passwd' } }),
  ])
  const folder = temporaryFolder()
  await expect(client.download(slug, join(folder, 'a.jpg'))).rejects.toMatchObject({ code: 'no-file-address' })
  expect(await readdir(folder)).toEqual([])
})

test('a download whose client is closed meanwhile asks the site for nothing more', async () => {
  const { client, path, files } = await siteOf((_, response) => {
    void client.close()
    response.writeHead(200, { 'Content-Length': 10 }).write(bytes.slice(0, 5))
    response.destroy()
  }, whole)
  await expect(client.download(slug, path)).rejects.toMatchObject({ code: 'client-closed' })
  expect(files).toHaveLength(1)
})
