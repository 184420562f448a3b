import { join } from 'node:path'
import { createServer, type TlsOptions } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/index.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { listening } from '../helpers/listening.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { scriptedClient } from '../helpers/scripted-client.ts'
import { answer, saying, scriptedServer, twoLengths } from '../helpers/scripted-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { socketTransports, textOf, tls, transports } from './every-transport.ts'

const ok = 'HTTP/1.1 200 OK\r\n'
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`

/** What no further try reads either. */
const malformed: Readonly<Record<string, string>> = {
  '60 KB of headers': `${ok}X-A: ${'a'.repeat(60_000)}\r\nContent-Length: 2\r\n\r\n{}`,
  'a folded header': `${ok}X-A: a\r\n b\r\nContent-Length: 2\r\n\r\n{}`,
  'two lengths': `${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  'a length that is no number': `${ok}Content-Length: two\r\n\r\n{}`,
  'a length and chunks': `${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  'a header without a colon': `${ok}nonsense\r\n\r\n{}`,
  'the greeting of another protocol': 'SSH-2.0-OpenSSH_9.2\r\n',
  'JSON without a head': '{"uploads":1}',
  'a status that is no number': 'HTTP/1.1 abc OK\r\n\r\n',
  'an upgrade to another protocol': 'HTTP/1.1 101 No\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\n',
  'a chunk without a size': `${chunked}zz\r\n{}\r\n0\r\n\r\n`,
  'a later chunk without a size': `${chunked}2\r\n{}\r\nzz\r\n`,
}

/** What another try may read whole. */
const cut: Readonly<Record<string, string>> = {
  'no byte': '',
  'half a status line': 'HTTP/1.',
  'half a head': `${ok}Content-Le`,
  'less than the length': `${ok}Content-Length: 9\r\n\r\n{}`,
  'half a chunk': `${chunked}9\r\n{}`,
  'chunks without an end': `${chunked}2\r\n{}\r\n`,
}

const rows = [
  ...Object.entries(malformed).map(([name, said]) => [name, true, said] as const),
  ...Object.entries(cut).map(([name, said]) => [name, false, said] as const),
]

describe.each(transports)('over the %s transport', (_, create) => {
  test.each(rows)('%s instead of a whole answer fails for good: %s', async (_, permanent, said) => {
    const { baseUrl } = await scriptedServer(saying(said))
    const reading = create().send({ method: 'GET', url: baseUrl, headers: {} }).then(textOf)
    await expect(reading).rejects.toMatchObject({ name: 'TransportError', failure: 'interrupted', permanent })
  })

  test('an upload whose answer is malformed is looked for in the list, and not sent again', async () => {
    const stored = { ...uploadObject, created_at: new Date().toISOString() }
    for (const [data, outcome] of [
      [[stored], { slug: stored.slug }],
      [[], { code: 'connection-failed', message: expect.stringContaining('not valid HTTP') }],
    ] as const) {
      const file = jpegBytes(stored.size)
      const server = await scriptedServer(twoLengths, (request, response) => {
        if (request.url?.startsWith('/i/')) return response.writeHead(200, { 'Content-Length': file.length }).end(file)
        const listed = data.map((upload) => ({ ...upload, direct_url: `http://${request.headers.host}/i/a.jpg` }))
        const page = { data: listed, current_page: 1, last_page: 1, per_page: 50, total: data.length }
        return answer(200, page)(request, response)
      })
      const uploading = createClient({
        baseUrl: server.baseUrl,
        apiKey: 'key',
        transport: create(),
        clock: instantClock(Date.now()),
        pacing: false,
      }).upload(file)
      expect(await uploading.catch((error) => error)).toMatchObject(outcome)
      expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
    }
  })
})

test('a download whose site gives a malformed answer asks once, and its error does not advise to try again', async () => {
  const site = await scriptedServer(twoLengths)
  const upload = { ...uploadObject, direct_url: `${site.baseUrl}/a.jpg` }
  const { client } = await scriptedClient([answer(200, { upload })])
  const failed = client.download('x', join(temporaryFolder(), 'a.jpg'))
  await expect(failed).rejects.toMatchObject({ hint: expect.stringMatching(/^Trying again will not help/) })
  expect(site.requests).toHaveLength(1)
})

test.each<[string, TlsOptions]>([
  ['wants a certificate of the client', { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' }],
  ['knows no version of TLS in use', { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' }],
  ['speaks HTTP/2 alone', { ALPNProtocols: ['h2'] }],
])('a server that %s refuses every try, in words without those of OpenSSL', async (_, options) => {
  const url = `https://127.0.0.1:${await listening(createServer({ ...tls, ...options }).on('tlsClientError', () => {}))}`
  for (const [, create] of socketTransports) {
    await expect(create({ ca: tls.cert }).send({ method: 'GET', url, headers: {} })).rejects.toMatchObject({
      failure: 'unreachable',
      permanent: true,
      message: expect.stringMatching(/^the other side refuses this TLS connection \([a-z0-9/ ]+\)$/),
    })
  }
})
