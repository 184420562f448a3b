import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createStreamTarget } from '../../../../../src/cli/commands/download/stdout-target.ts'

function piped() {
  const stream = new PassThrough()
  const target = createStreamTarget(stream, { size: 6, signal: new AbortController().signal, onProgress: () => {} })
  return { target, text: () => String(stream.read() ?? '') }
}

test('bytes that were already written are skipped if the same file starts again at 0', async () => {
  const { target, text } = piped()
  await target.begin({ offset: 0, validator: '"one"', total: 6 })
  await target.write(Buffer.from('abc'))
  await target.begin({ offset: 0, validator: '"one"', total: 6 })
  for (const part of ['ab', 'cd', 'ef']) await target.write(Buffer.from(part))
  expect([text(), target.resume()]).toEqual(['abcdef', { bytes: 6, validator: '"one"' }])
})

test.each(['"two"', undefined])(
  'a download to standard output fails if the file has changed meanwhile: its validator is %s',
  async (validator) => {
    const { target } = piped()
    await target.begin({ offset: 0, validator: '"one"', total: 6 })
    await target.write(Buffer.from('abc'))
    await expect(target.begin({ offset: 0, validator, total: 6 })).rejects.toMatchObject({ code: 'size-mismatch' })
  },
)

test('a write waits until a full stream is drained', async () => {
  const stream = new PassThrough({ highWaterMark: 2 })
  const stop = new AbortController()
  const target = createStreamTarget(stream, { size: 6, signal: stop.signal, onProgress: () => {} })
  await target.begin({ offset: 0, validator: undefined, total: 6 })
  const written = target.write(Buffer.from('abcdef'))
  expect(
    await Promise.race([written.then(() => 'written'), new Promise((resolve) => setImmediate(resolve, 'waits'))]),
  ).toBe('waits')
  stream.resume()
  await written
})

test('a write to a full stream does not wait if the run was stopped', async () => {
  const stop = new AbortController()
  const target = createStreamTarget(new PassThrough({ highWaterMark: 2 }), {
    size: 6,
    signal: stop.signal,
    onProgress: () => {},
  })
  await target.begin({ offset: 0, validator: undefined, total: 6 })
  stop.abort()
  await expect(target.write(Buffer.from('abcdef'))).rejects.toMatchObject({ name: 'AbortError' })
})

test('a file that is shorter or longer than announced is an error', async () => {
  const { target } = piped()
  await target.begin({ offset: 0, validator: undefined, total: undefined })
  await target.write(Buffer.from('abc'))
  expect(() => target.finish()).toThrow('announced 6 bytes, but sent 3')
  await expect(target.write(Buffer.from('defg'))).rejects.toThrow('announced 6 bytes, but sent 7')
})
