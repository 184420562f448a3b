import { Blob as NodeBlob } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import { createReadStream, openAsBlob, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import type { UploadSource } from '../../../../src/index.ts'
import { inProcessClient } from '../../../helpers/in-process-client.ts'
import { jpegBytes, mediaPath } from '../../../helpers/media.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'

const path = mediaPath('photo.jpg')
const bytes = readFileSync(path)

const uploading = async () => inProcessClient({ emulator: { settings: { title: 'filename' } } })

/** The same bytes, made by the classes of another realm. */
const foreign = (code: string): UploadSource => runInNewContext(code, { given: [...bytes] })
const foreignStream = () => {
  const inner = new NodeBlob([bytes]).stream().getReader()
  return { locked: false, getReader: () => ({ read: () => inner.read(), cancel: async () => {}, releaseLock() {} }) }
}

const shared = () => {
  const view = new Uint8Array(new SharedArrayBuffer(bytes.length))
  view.set(bytes)
  return view
}

async function* generated() {
  yield bytes.subarray(0, 10)
  yield bytes.subarray(10)
}

const sources: readonly (readonly [string, () => UploadSource | Promise<UploadSource>, string])[] = [
  ['a path', () => path, 'photo.jpg'],
  ['a file URL', () => pathToFileURL(path), 'photo.jpg'],
  ['a Buffer', () => bytes, 'upload.jpg'],
  ['an ArrayBuffer', () => Uint8Array.from(bytes).buffer, 'upload.jpg'],
  ['a DataView', () => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 'upload.jpg'],
  ['a view of shared memory', shared, 'upload.jpg'],
  ['a Blob', () => new Blob([bytes]), 'upload.jpg'],
  ['a File', () => new File([bytes], 'mine.jpg'), 'mine.jpg'],
  ['a Blob of a file', () => openAsBlob(path), 'upload.jpg'],
  ['a file stream', () => createReadStream(path), 'photo.jpg'],
  ['a stream of a file handle', async () => (await open(path)).createReadStream(), 'upload.jpg'],
  ['a web stream', () => new Blob([bytes]).stream(), 'upload.jpg'],
  ['the body of a Response', () => new Response(bytes).body as ReadableStream<Uint8Array>, 'upload.jpg'],
  ['a stream from a list', () => Readable.from([bytes]), 'upload.jpg'],
  ['a generator of bytes', generated, 'upload.jpg'],
  ['a stream with a name', () => ({ stream: generated(), name: 'a.jpg', size: bytes.length }), 'a.jpg'],
  ['a file stream with another name', () => ({ stream: createReadStream(path), name: 'a.jpg' }), 'a.jpg'],
  ['ArrayBuffers', () => Readable.from([Uint8Array.from(bytes).buffer]) as UploadSource, 'upload.jpg'],
  ['an ArrayBuffer of another realm', () => foreign('Uint8Array.from(given).buffer'), 'upload.jpg'],
  ['a typed array of another realm', () => foreign('Uint8Array.from(given)'), 'upload.jpg'],
  ['a web stream of another class', () => foreignStream() as never, 'upload.jpg'],
]

test.each(sources)('%s is uploaded whole, under its name', async (_, open, name) => {
  const { client } = await uploading()
  expect(await client.upload(await open())).toMatchObject({ size: bytes.length, title: name, mime_type: 'image/jpeg' })
})

test('a part of a file is uploaded under the file’s name', async () => {
  const { client } = await uploading()
  const upload = await client.upload(createReadStream(path, { end: 99 }))
  expect(upload).toMatchObject({ size: 100, title: 'photo.jpg' })
})

test.each<readonly [string, () => UploadSource]>([
  ['a file stream', () => createReadStream(path)],
  ['a stream of unknown size', () => Readable.from([bytes.subarray(0, 1_000), bytes.subarray(1_000)])],
  ['a generator', generated],
  ['a web stream', () => new Blob([bytes]).stream()],
])('%s that is given to two uploads at once is stored once, whole', async (_, open) => {
  const { client, stored } = await uploading()
  const source = open()
  const outcomes = await Promise.allSettled([client.upload(source), client.upload(source)])
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(refused).toMatchObject([{ code: 'source-spent' }])
  expect(await stored()).toMatchObject([{ size: bytes.length }])
})

test('an iterable that begins again with each reader can be uploaded twice', async () => {
  const { client } = await uploading()
  const source = { [Symbol.asyncIterator]: generated }
  for (const _ of [1, 2]) expect(await client.upload(source)).toMatchObject({ size: bytes.length })
})

const halfRead = async () => {
  const stream = createReadStream(path, { highWaterMark: 10 })
  await new Promise((resolve) => stream.once('data', resolve))
  stream.pause()
  onTestFinished(() => void stream.destroy())
  return stream
}
const locked = () => {
  const stream = new Blob([bytes]).stream()
  stream.getReader()
  return stream
}
const written = (name: string, content: Uint8Array | string) => {
  const file = join(temporaryFolder(), name)
  writeFileSync(file, content)
  return file
}
const tooLarge = () => {
  const file = written('big.jpg', jpegBytes(16))
  truncateSync(file, 209_715_201)
  return file
}
const pipe = () => {
  const file = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [file])
  return file
}
const credentials = new URL('https://me:secret@files.example/a')

test.each<readonly [string, () => unknown, string, string]>([
  ['a missing file', () => '/nowhere/at all.jpg', 'source-missing', '/nowhere/at all.jpg does not exist'],
  ['a path through a file', () => join(written('f.jpg', 'x'), 'g'), 'source-missing', 'not a folder'],
  ['a folder', temporaryFolder, 'source-directory', 'is a folder'],
  ['a pipe without a writer', pipe, 'source-unreadable', 'is not a regular file'],
  ['a device', () => '/dev/null', 'source-unreadable', '/dev/null is not a regular file'],
  ['an empty file', () => written('empty.jpg', ''), 'source-empty', 'empty.jpg is empty'],
  ['an empty Blob', () => new Blob([]), 'source-empty', 'The data is empty'],
  ['a text', () => written('a.jpg', 'hello'), 'source-unsupported-type', 'a.jpg is text/plain, which is not accepted'],
  ['bytes of no known type', () => Buffer.alloc(100), 'source-unsupported-type', 'The data is of no known type'],
  ['a large file', tooLarge, 'source-too-large', 'big.jpg has 200 MB (209,715,201 bytes), more than the limit'],
  [
    'a file stream that was read in part',
    halfRead,
    'source-spent',
    'photo.jpg is closed or locked, or some of its bytes',
  ],
  ['a locked web stream', locked, 'source-spent', 'The stream is closed or locked'],
  ['a web stream of text', () => ReadableStream.from(['text']), 'source-unreadable', 'gave a text'],
  ['a file stream of text', () => createReadStream(path, 'utf8'), 'source-unreadable', 'photo.jpg gave a text instead'],
  ['a stream of objects', () => Readable.from([{ a: 1 }]), 'source-unreadable', 'gave an object instead of bytes'],
  ['a stream of a missing file', () => createReadStream('/nope/a.jpg'), 'source-missing', 'a.jpg does not exist'],
  ['a stream of a folder', () => createReadStream('.'), 'source-directory', '. is a folder, not a file'],
  ['content as a path', () => bytes.toString('base64').slice(0, 9_000), 'source-missing', 'it is too long'],
  ['a path with a NUL', () => 'a\0b', 'source-missing', 'is no path'],
  ['a Response', () => new Response(bytes), 'invalid-value', 'bytes or a stream, but got a Response'],
  ['nothing', () => undefined, 'invalid-value', 'but got nothing: is the variable set'],
  ['an empty path', () => '', 'invalid-value', 'but got an empty text: is the variable set'],
  ['an address as text', () => 'https://files.example/a.jpg', 'invalid-value', 'pass new URL(text) instead'],
  ['a URL with a password', () => credentials, 'invalid-value', 'takes no URL with a user name'],
  ['an ftp URL', () => new URL('ftp://files.example/a'), 'invalid-value', 'but got one of ftp:'],
  ['half a byte', () => ({ stream: generated(), size: 0.5 }), 'invalid-value', 'takes a whole number of bytes'],
  ['a Blob as a stream', () => ({ stream: new Blob([]) }), 'invalid-value', 'such as process.stdin, but got a Blob'],
])('%s is refused in a sentence, and nothing is sent', async (_, open, code, words) => {
  const { client, emulator } = await uploading()
  const error = await client.upload((await open()) as never).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code, message: expect.stringContaining(words) })
  expect(String(error).length).toBeLessThan(400)
  expect(emulator.control.requests.list().requests).toEqual([])
})
