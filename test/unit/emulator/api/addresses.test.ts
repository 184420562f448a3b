import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { hasPlainHost } from '../../../../emulator/api/target.ts'
import { originOf } from '../../../../emulator/wire/socket.ts'
import { phpFacts } from '../../../helpers/php-facts.ts'
import { processorMs } from '../../../helpers/processor-time.ts'
import { emulated } from '../emulated.ts'

test.each(phpFacts<readonly ['http' | 'https', string, string | null]>('hosts'))(
  'over %s the host %j has the origin that Symfony builds: %j',
  (scheme, host, origin) => {
    const made = originOf(scheme, host)
    expect(hasPlainHost({ origin: made }) ? made : null).toBe(origin)
  },
)

test('64 KB of any special characters in a host are read in linear time', async () => {
  for (const hostile of [':', '1', ':1', '.', '[', ']', ' ', 'a.', '<', '-']) {
    const host = hostile.repeat(65_536 / hostile.length)
    const read = () => [host, `${host}x`].map((each) => hasPlainHost({ origin: originOf('http', each) }))
    expect(await processorMs(read), hostile).toBeLessThan(500)
  }
})

/** Asks an emulator for paths with this Host header, over a socket. */
async function answersTo(host: string, ...paths: readonly string[]) {
  const emulator = await emulated()
  const { port } = await emulator.listen({ port: 0 })
  const headers = { Host: host, 'X-Api-Key': emulator.apiKey }
  const ask = (path: string) =>
    new Promise<string>((resolve, reject) => {
      const answer = get({ port, path, headers, agent: false }, (response) =>
        text(response).then((body) => resolve(`${response.statusCode} ${body}`), reject),
      )
      answer.on('error', reject)
    })
  return await Promise.all(paths.map(ask))
}

test('a Host with an invalid character is answered 404, and not echoed', async () => {
  for (const answer of await answersTo('a<b>', '/api/uploads', '/api/stats', '/')) {
    expect(answer).toMatch(/^404 \{\s*"message":\s*"Bad hostname provided\."\s*\}$/)
  }
})

test.each(['a:99999', '[::1]:', '999.999.999.999', 'a:-1', '127.0.0.1:4884:1'])(
  'the page at the host %s, which is no URL, is shown, and the dashboard refused there',
  async (host) => {
    const answers = await answersTo(host, '/login', '/_emulator/ui')
    expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['200', '403'])
  },
)
