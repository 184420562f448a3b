import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { emulated, send, uploaded } from '../emulated.ts'

/** Larger than memory and socket buffers; each byte shows its position. */
const bytes = jpegBytes(24 * 1_048_576).map((byte, index) => (index < 4 ? byte : index >> 12))

test('a file deleted while it is being sent is sent to its end', async () => {
  const emulator = await emulated()
  const { baseUrl } = await emulator.listen()
  const { slug } = await uploaded(emulator, bytes)
  const open = () =>
    new Promise<IncomingMessage>((resolve, reject) => get(`${baseUrl}/i/${slug}.jpg`, resolve).on('error', reject))
  const response = await open()
  expect((await send(emulator, 'DELETE', `/api/uploads/${slug}`)).status).toBe(200)
  expect((await buffer(response)).equals(bytes)).toBe(true)
  expect((await open()).statusCode).toBe(404)
})
