import { expect, test } from 'vitest'
import { readMultipart } from '../../../../emulator/php/multipart.ts'

const contentType = 'multipart/form-data; boundary=x'
const nothing = async () => {}

test('a form whose file cannot be stored stops reading its body', async () => {
  let isClosed = false
  async function* body() {
    try {
      yield Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbytes')
      yield Buffer.from('more bytes')
    } finally {
      isClosed = true
    }
  }
  const write = async () => {
    throw new Error('the disk is full')
  }
  const visitor = { textLimit: () => 0, text: () => {}, file: async () => ({ write, finish: nothing, abort: nothing }) }
  await expect(readMultipart(contentType, body(), visitor)).rejects.toThrow('the disk is full')
  expect(isClosed).toBe(true)
})
