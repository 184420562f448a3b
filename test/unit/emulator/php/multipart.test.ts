import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { readForm } from '../../../../emulator/php/form.ts'
import { readMultipart } from '../../../../emulator/php/multipart.ts'
import { measuringFiles } from '../../../../emulator/service/submitted-file.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const contentType = 'multipart/form-data; boundary=x'
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
const nothing = async () => {}

test('a form without a line break keeps at most one line in memory', async () => {
  const seen: WeakRef<ArrayBuffer>[] = []
  let held = Number.NaN
  async function* body() {
    for (let count = 0; count < 100; count += 1) {
      const chunk = new Uint8Array(65_536).fill(0x61)
      seen.push(new WeakRef(chunk.buffer))
      yield chunk
    }
    await nextTurn()
    collectGarbage()
    held = seen.filter((reference) => reference.deref() !== undefined).length
  }
  await readMultipart(contentType, body(), { textLimit: () => 0, text: () => {}, file: async () => undefined })
  expect(held).toBeLessThan(4)
})

test('texts whose names are lists with keys of 64 KB are kept neither as keys nor as values', async () => {
  let heldBytes = Number.POSITIVE_INFINITY
  const used = () => {
    collectGarbage()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  async function* body() {
    const before = used()
    for (let count = 0; count < 200; count += 1) {
      const name = `_method[${count}][${'k'.repeat(30_000)}][b${count}-of-more-than-13]${'j'.repeat(30_000)}`
      yield Buffer.from(`--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${'v'.repeat(65_536)}\r\n`)
    }
    await nextTurn()
    heldBytes = Math.min(heldBytes, used() - before)
  }
  // A form of which keys or values are kept takes 6 MB or more each time. What else the process does falls into one measurement, but not into five.
  for (let tries = 0; tries < 5 && heldBytes >= 4_000_000; tries += 1) {
    expect((await readForm('file', { contentType, body: body() }, measuringFiles)).method).toBe(undefined)
  }
  expect(heldBytes).toBeLessThan(4_000_000)
})

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
