// @vitest-environment jsdom
import { createClient, fetchTransport, nodeTransport } from 'filehost'
import { expect, test } from 'vitest'
import { apiKey, baseUrl, intercepted } from './intercepted.js'

test('a client brings a File of jsdom whole', async () => {
  const emulator = await intercepted()
  for (const transport of [fetchTransport(), nodeTransport()]) {
    const client = createClient({ baseUrl, apiKey, transport })
    await client.upload(new File(['GIF89a'], 'picture.gif'))
    await client.close()
  }
  const { requests } = emulator.control.requests.list()
  expect(requests.map(({ file }) => [file.name, file.size])).toEqual(Array(2).fill(['picture.gif', 6]))
})
