import { get } from 'node:http'
import { expect, test } from 'vitest'
import { hasPlainHost, originOf } from '../../../../../emulator/http/request/request-origin.ts'
import { phpFacts } from '../../../../helpers/php-facts.ts'
import { processorMs } from '../../../../helpers/processor-time.ts'
import { emulated } from '../../emulated.ts'

test.each(phpFacts<readonly ['http' | 'https', string, string | null]>('hosts'))(
  'over %s the host %j has the origin that Symfony builds: %j',
  (scheme, host, origin) => {
    const made = originOf(scheme, host)
    expect(hasPlainHost(made) ? made : null).toBe(origin)
  },
)

test('64 KB of any special characters in a host are read in linear time', async () => {
  for (const hostile of [':', '1', ':1', '.', '[', ']', ' ', 'a.', '<', '-']) {
    const host = hostile.repeat(65_536 / hostile.length)
    expect(
      await processorMs(() => [host, `${host}x`].map((text) => hasPlainHost(originOf('http', text)))),
      hostile,
    ).toBeLessThan(500)
  }
})

/** The answer to a request with this Host header, over a socket. */
async function answerTo(host: string, path: string) {
  const emulator = await emulated()
  const { port } = await emulator.listen({ port: 0 })
  const headers = { Host: host, 'X-Api-Key': emulator.apiKey }
  const { status, text } = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    get({ port, path, headers, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode, text })
    }).on('error', reject)
  })
  return { status, text, port }
}

test.each(['/api/uploads', '/api/stats', '/'])(
  'a Host with an invalid character is answered 404 at %s, and not echoed',
  async (path) => {
    const { status, text } = await answerTo('a<b>', path)
    expect([status, JSON.parse(text)]).toEqual([404, { message: 'Bad hostname provided.' }])
  },
)

test.each([
  ['Example.COM', 'http://example.com'],
  ['Example.COM:80', 'http://example.com'],
  ['[::1]:4884', 'http://[::1]:4884'],
])('page URLs of a request to the host %s begin with %s', async (host, origin) => {
  const { status, text } = await answerTo(host, '/api/uploads?page=1')
  expect([status, JSON.parse(text).path]).toEqual([200, `${origin}/api/uploads`])
})

test.each(['a:99999', '[::1]:', '999.999.999.999', 'a:-1', '127.0.0.1:4884:1'])(
  'the page at the host %s, which is no URL, is shown, and the dashboard refused there',
  async (host) => {
    const answers = [await answerTo(host, '/login'), await answerTo(host, '/_emulator/ui')]
    expect(answers.map(({ status }) => status)).toEqual([200, 403])
  },
)
