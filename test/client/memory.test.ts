import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { fetchTransport } from '../../src/index.ts'
import { abortable } from '../../src/system/signals.ts'
import { listening } from '../helpers/listening.ts'
import { until } from '../helpers/until.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

test('a chunk that was passed on is freed although its signal lives on', async () => {
  const seen: WeakRef<Uint8Array>[] = []
  async function* chunks() {
    for (let count = 0; count < 20; count += 1) yield new Uint8Array(1_000)
  }
  const { signal } = new AbortController()
  for await (const chunk of abortable(chunks(), signal)) seen.push(new WeakRef(chunk))
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  expect(seen.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(3)
})

test('the fetch transport keeps little of a sent body in memory, however large it is', async () => {
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    request.once('end', () => response.end('{}'))
  })
  const url = `http://127.0.0.1:${await listening(server)}/`
  const [chunkBytes, count] = [65_536, 64]
  let received = 0
  let held = Number.NaN
  async function* chunks() {
    const seen: WeakRef<Uint8Array>[] = []
    for (let number = 1; number < count; number += 1) {
      const chunk = new Uint8Array(chunkBytes)
      seen.push(new WeakRef(chunk))
      yield chunk
    }
    await until(() => received === (count - 1) * chunkBytes)
    collectGarbage()
    held = seen.filter((reference) => reference.deref() !== undefined).length
    yield new Uint8Array(chunkBytes)
  }
  const body = { contentType: 'text/plain', length: count * chunkBytes, chunks }
  const response = await fetchTransport(fetch).send({ method: 'POST', url, headers: {}, body })
  expect(response.status).toBe(200)
  expect(held).toBeLessThan(count / 4)
})
