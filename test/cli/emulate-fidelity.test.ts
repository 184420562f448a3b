import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { runningEmulator } from '../helpers/running-emulator.ts'

/** The answer to a request that is written as it is. */
async function exchange(port: number, target: string, host: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nX-Api-Key: k\r\nConnection: close\r\n\r\n`)
  return text(socket)
}

test('fh emulate reads hosts, paths, queries, forms and files as PHP and its framework read them', async () => {
  const { port, call } = await runningEmulator()
  expect(await exchange(port, '/api/uploads', 'a<b>')).toMatch(/^HTTP\/1\.1 404 .*Bad hostname provided\./s)
  expect(await exchange(port, '/api/uploads', 'Files.Example:80')).toContain('"path":"http:\\/\\/files.example\\/api')
  expect(await exchange(port, '/api/uploads?page=2#&page=3', 'h')).toContain('"current_page":2')
  expect((await call('/api/stats//')).status).toBe(200)
  expect((await call('/api/stats%2F')).status).toBe(404)
  expect((await call('/api/stats?api.key=k', { headers: { 'X-Api-Key': '' } })).status).toBe(401)

  const form = (disposition: string, content: string) => ({
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=X' },
    body: Buffer.from(`--X\nContent-Disposition: ${disposition}\n\n${content}\n--X--\n`, 'latin1'),
  })
  const stored = await call('/api/upload', form("form-data; name='file'; filename='a'", '\0\0\0\x18ftypiso3'))
  expect([stored.status, ((await stored.json()) as { upload: object }).upload]).toMatchObject([
    201,
    { mime_type: 'video/mp4' },
  ])
  expect((await call('/api/upload', form('form-data; name="_method"', 'PUT'))).status).toBe(405)
})

test('the statistics of fh emulate add up views of files, not those of pages', async () => {
  const { call } = await runningEmulator()
  const body = new FormData()
  body.append('file', new Blob(['GIF89a']), 'a.gif')
  const { upload } = (await (await call('/api/upload', { method: 'POST', body })).json()) as {
    upload: Record<string, string>
  }
  for (const path of [
    `/i/${upload['slug']}`,
    `/e/${upload['slug']}`,
    `/i/${upload['slug']}.gif`,
    `/i/${upload['slug']}.gif?preview`,
  ]) {
    await (await call(path)).arrayBuffer()
  }
  const shown = (await (await call(`/api/uploads/${upload['slug']}`)).json()) as { upload: { views: number } }
  const { total_views } = (await (await call('/api/stats')).json()) as { total_views: number }
  expect([shown.upload.views, total_views]).toEqual([3, 1])
})
