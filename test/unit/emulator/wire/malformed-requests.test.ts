import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { until } from '../../../helpers/until.ts'
import { emulated } from '../emulated.ts'
import { rawClient, served } from './served.ts'

/** The status of a request with these lines, `PORT` filled in, at the path of the API and of the control API. */
async function statuses([target, ...headers]: readonly string[]) {
  const emulator = await emulated()
  const { port } = await emulator.listen()
  const ask = async (path: string) => {
    const lines = [
      target?.replace('PATH', path),
      ...headers,
      `X-Api-Key: ${emulator.apiKey}`,
      'Connection: close',
      '',
      '',
    ]
    const socket = connect(port, '127.0.0.1')
    socket.write(lines.join('\r\n').replaceAll('PORT', String(port)))
    return Number(/^HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1])
  }
  const answered = [await ask('/api/stats'), await ask('/_emulator/health')]
  return [...answered, emulator.control.requests.list().kept]
}

const own = 'Host: 127.0.0.1:PORT'

test.each<[form: string, lines: readonly string[], api: number, control: number]>([
  ['one Host', ['GET PATH HTTP/1.1', own], 200, 200],
  ['an absolute target of its host', ['GET http://127.0.0.1:PORTPATH HTTP/1.1', own], 200, 200],
  [
    'an absolute target of its host in capitals',
    ['GET HTTP://LOCALHOST:PORTPATH HTTP/1.1', 'Host: localhost:PORT'],
    200,
    200,
  ],
  ['a foreign host', ['GET PATH HTTP/1.1', 'Host: evil.example'], 200, 403],
  [
    'an absolute target and a Host of a foreign host',
    ['GET http://evil.examplePATH HTTP/1.1', 'Host: evil.example'],
    200,
    403,
  ],
  ['an empty Host', ['GET PATH HTTP/1.1', 'Host:'], 200, 403],
  ['no Host and HTTP/1.0', ['GET PATH HTTP/1.0'], 200, 403],
  ['no Host', ['GET PATH HTTP/1.1'], 400, 400],
  ['two Hosts', ['GET PATH HTTP/1.1', own, 'Host: evil.example'], 400, 400],
  ['the same Host twice', ['GET PATH HTTP/1.1', own, own], 400, 400],
  ['two Hosts and HTTP/1.0', ['GET PATH HTTP/1.0', own, 'host: evil.example'], 400, 400],
  ['an absolute target of a foreign host', ['GET http://evil.examplePATH HTTP/1.1', own], 400, 400],
  ['an absolute target of another port', ['GET http://127.0.0.1:1PATH HTTP/1.1', own], 400, 400],
  ['an absolute target with a user', ['GET http://evil@127.0.0.1:PORTPATH HTTP/1.1', own], 400, 400],
  ['an absolute target without a host', ['GET http://PATH HTTP/1.1', own], 400, 400],
  ['a Host with a user', ['GET PATH HTTP/1.1', 'Host: evil@127.0.0.1:PORT'], 404, 400],
  ['a Host with a user and a password', ['GET PATH HTTP/1.1', 'Host: a:b@127.0.0.1:PORT'], 404, 400],
  ['a Host with a path', ['GET PATH HTTP/1.1', 'Host: 127.0.0.1:PORT/evil'], 404, 400],
  ['a Host with a query', ['GET PATH HTTP/1.1', 'Host: 127.0.0.1:PORT?evil'], 404, 400],
  ['a Host with a fragment', ['GET PATH HTTP/1.1', 'Host: 127.0.0.1:PORT#evil'], 404, 400],
  ['a Host with a backslash', ['GET PATH HTTP/1.1', 'Host: 127.0.0.1:PORT\\@evil'], 404, 400],
  ['a Host with a percent sign', ['GET PATH HTTP/1.1', 'Host: 127.0.0.%31:PORT'], 404, 400],
  ['a Host with blanks', ['GET PATH HTTP/1.1', 'Host: 127.0.0.1:PORT evil'], 404, 400],
  ['a Host with a list', ['GET PATH HTTP/1.1', 'Host: 127.0.0.1:PORT, evil.example'], 404, 400],
  ['a Host with two ports', ['GET PATH HTTP/1.1', 'Host: 127.0.0.1:1:PORT'], 200, 403],
  ['a Host with a scheme', ['GET PATH HTTP/1.1', 'Host: http://127.0.0.1:PORT'], 404, 400],
])('silence 79: with %s, %j, the API answers %i and the control API %i', async (_, lines, api, control) => {
  const [fromApi, fromControl] = await statuses(lines)
  expect([fromApi, fromControl]).toEqual([api, control])
})

test.each([
  [15, 200],
  [17, 200],
  [64, 200],
  [100, 431],
])('a page is opened with %i KiB of cookies of other programs: %i', async (kibibytes, status) => {
  const { port } = await (await emulated()).listen()
  const cookies = Array.from({ length: kibibytes }, (_, at) => `app${at}=${'x'.repeat(1_024 - `app${at}=; `.length)}`)
  const { seen } = rawClient(
    port,
    `GET /login HTTP/1.1\r\nHost: h\r\nCookie: ${cookies.join('; ')}\r\nConnection: close\r\n\r\n`,
  )
  await until(() => seen.ended)
  expect([seen.text.slice(0, 12), seen.error]).toEqual([`HTTP/1.1 ${status}`, undefined])
  expect(/open the emulator by another name, such as localhost/.test(seen.text)).toBe(status === 431)
})

const chunked = 'POST /api/upload HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n'

test.each([
  ['what is no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*cannot be read as a request/],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', /^HTTP\/1\.1 400 [\s\S]*is it meant for https/],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 [\s\S]*has one Host header, which names/],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['a length that is none', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n', /^HTTP\/1\.1 400 /],
  [
    'long extensions of a chunk',
    `${chunked}5;${'a'.repeat(20_000)}\r\n`,
    /^HTTP\/1\.1 400 [\s\S]*Chunk extensions overflow/,
  ],
  ['a chunk without a length', `${chunked}x\r\n`, /^HTTP\/1\.1 400 /],
])('%s is answered with words, and the connection ends', async (_, sent, answer) => {
  const { port } = await served(async ({ body }) => {
    for await (const _ of body);
    return { status: 200, headers: {}, body: '' }
  })
  const { seen } = rawClient(port, sent)
  await until(() => seen.ended)
  expect(seen.text).toMatch(answer)
})
