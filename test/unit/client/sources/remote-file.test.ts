import { expect, test } from 'vitest'
import { nameInUrl } from '../../../../src/client/sources/local-source.ts'
import { openRemoteFile, type RemoteFileOptions } from '../../../../src/client/sources/remote-file.ts'
import { TransportError, type TransportRequest } from '../../../../src/client/transports/transport.ts'
import { instantClock } from '../../../helpers/instant-clock.ts'
import { jpegBytes } from '../../../helpers/media.ts'

const url = 'https://site.example/a/cat.jpg?token=secret'

interface Answered {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: readonly (Uint8Array | Error)[]
}

/** A site that gives these answers in turn, the last one again and again; an error is no answer. */
function site(...answers: readonly (Answered | Error)[]) {
  const requests: TransportRequest[] = []
  const clock = instantClock()
  const options: RemoteFileOptions = {
    clock,
    transport: {
      async send(request) {
        requests.push(request)
        const answer = answers[Math.min(requests.length, answers.length) - 1]
        if (answer === undefined || answer instanceof Error) throw answer
        const { status = 200, headers = {}, body = [jpegBytes(5_000), jpegBytes(5_000)] } = answer
        async function* chunks() {
          for (const chunk of body) {
            if (chunk instanceof Error) throw chunk
            yield chunk
          }
        }
        return { status, headers, body: chunks() }
      },
    },
  }
  return { options, requests, clock }
}

async function lengthOf(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0
  for await (const chunk of chunks) length += chunk.length
  return length
}

const whole = { headers: { 'content-length': '10000' } }

test('a file whose upload waited longer than ten seconds is asked for again: its end may be that of the connection', async () => {
  const { options, requests, clock } = site(whole)
  const file = await openRemoteFile(url, options)
  await clock.sleep(11_000)
  expect([await lengthOf(file.read()), requests.length]).toEqual([10_000, 2])
})

test('a file that has another size when it is asked for again is not sent', async () => {
  const { options } = site(whole, { headers: { 'content-length': '10001' } })
  const file = await openRemoteFile(url, options)
  await lengthOf(file.read())
  await expect(lengthOf(file.read())).rejects.toMatchObject({ code: 'source-changed' })
})

test('a site that fails for a while is asked again, and its Retry-After is kept', async () => {
  const busy = { status: 503, headers: { 'retry-after': '7' } }
  const { options, clock, requests } = site(new TransportError('interrupted', 'cut'), busy, whole)
  expect((await openRemoteFile(url, options)).size).toBe(10_000)
  expect(requests.length).toBe(3)
  expect(clock.sleeps.at(-1)).toBeGreaterThanOrEqual(7_000)
})

test('a site that asks for a longer wait than is allowed is not asked again', async () => {
  const { options, requests } = site({ status: 429, headers: { 'retry-after': '61' } })
  const opening = openRemoteFile(url, { ...options, maxWaitMs: 60_000 })
  await expect(opening).rejects.toMatchObject({ code: 'source-unreadable', status: 429 })
  expect(requests.length).toBe(1)
})

test.each([
  ['ftp://site.example/cat.jpg', 'where no file is fetched from'],
  ['http://site.example/cat.jpg?token=secret', 'to http://site.example/cat.jpg, where no file is fetched from'],
  ['/again', 'more than 5 times'],
])('a redirect to %s is not followed for ever', async (location, words) => {
  const { options } = site({ status: 302, headers: { location } })
  await expect(openRemoteFile(url, options)).rejects.toMatchObject({
    code: 'unexpected-response',
    message: expect.stringContaining(words),
  })
})

test.each([
  ['https://h/a/cat%20one.jpg', 'cat one.jpg'],
  ['https://h/a/%2e%2e%2fetc%2fpass%00wd', 'pass_wd'],
  ['https://h/%5c..%5cx.jpg', 'x.jpg'],
  ['https://h/a/%2e%2e%2f..', ''],
  ['https://h/100%.jpg', '100%.jpg'],
  ['https://h/caf%E9.jpg', 'caf%E9.jpg'],
  ['https://h/?file=a.jpg', ''],
  [`https://h/${'x'.repeat(60_000)}.jpg`, `${'x'.repeat(76)}.jpg`],
])('the name in a URL is a plain name, or none', (address, name) => expect(nameInUrl(address)).toBe(name))
