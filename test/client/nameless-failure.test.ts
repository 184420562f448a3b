import { expect, onTestFinished, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { createClient, fetchTransport, nodeTransport, undiciTransport } from '../../src/index.ts'
import { jpegBytes } from '../helpers/media.ts'

const streams = {
  'a web stream': () => {
    let isBegun = false
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (isBegun) controller.error()
        else controller.enqueue(jpegBytes(100))
        isBegun = true
      },
    })
  },
  'a generator': async function* () {
    yield jpegBytes(100)
    throw undefined
  },
}

const transports = { undici: undiciTransport, node: nodeTransport, fetch: fetchTransport }

test.each(
  Object.entries(streams).flatMap(([source, open]) =>
    Object.entries(transports).map(([name, create]) => [source, name, open, create] as const),
  ),
)(
  '%s that fails without a reason ends an upload over %s with an error that says so',
  async (_, _name, open, create) => {
    const emulator = await createEmulator()
    onTestFinished(() => emulator.close())
    const { baseUrl } = await emulator.listen()
    await using client = createClient({ baseUrl, apiKey: emulator.apiKey, transport: create() })
    await expect(client.upload(open())).rejects.toMatchObject({
      code: 'source-unreadable',
      message: expect.stringContaining('failed without a reason'),
    })
    expect(emulator.control.health().uploads).toBe(0)
  },
)
