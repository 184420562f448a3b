import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createStreamTarget } from '../../../../../src/cli/commands/download/stdout-target.ts'

function piped() {
  const stream = new PassThrough()
  const target = createStreamTarget(stream, { size: 6, signal: new AbortController().signal, onProgress: () => {} })
  return { target, text: () => String(stream.read() ?? '') }
}

test('what has gone out already is left out where the same file begins anew', async () => {
  const { target, text } = piped()
  await target.begin({ offset: 0, validator: '"one"', total: 6 })
  await target.write(Buffer.from('abc'))
  await target.begin({ offset: 0, validator: '"one"', total: 6 })
  for (const part of ['ab', 'cd', 'ef']) await target.write(Buffer.from(part))
  expect([text(), target.resume()]).toEqual(['abcdef', { bytes: 6, validator: '"one"' }])
})

test.each(['"two"', undefined])(
  'a file that is another by now (%s) is not joined to what has gone out',
  async (validator) => {
    const { target } = piped()
    await target.begin({ offset: 0, validator: '"one"', total: 6 })
    await target.write(Buffer.from('abc'))
    await expect(target.begin({ offset: 0, validator, total: 6 })).rejects.toMatchObject({ code: 'size-mismatch' })
  },
)

test('a stream that is full is waited for', async () => {
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

test('a stream that is full when the run was stopped already is not waited for', async () => {
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

test('a file that ends before its size is an error, and so is one that goes on after it', async () => {
  const { target } = piped()
  await target.begin({ offset: 0, validator: undefined, total: undefined })
  await target.write(Buffer.from('abc'))
  expect(() => target.finish()).toThrow('announced 6 bytes, but sent 3')
  await expect(target.write(Buffer.from('defg'))).rejects.toThrow('announced 6 bytes, but sent 7')
})
