import { expect, test } from 'vitest'
import { PhpArray, type PhpValue, parseVariables, readForm } from '../../../../emulator/php/form.ts'
import type { FileIntake, ReceivedFile, SubmittedFile, Uploads } from '../../../../emulator/service/uploads.ts'
import { phpFacts } from '../../../helpers/php-facts.ts'
import { processorMs } from '../../../helpers/processor-time.ts'

/** What PHP finds in a form: the file's size or error, a text of the same name, the method override. */
interface PhpForm {
  readonly file: number | 'none' | 'failed' | 'list'
  readonly text: string | null
  readonly method: string | null
}

type Fact = readonly [readonly [contentType: string, parts: readonly (readonly [string, number])[]], PhpForm]

/** Stores only the size of a file. */
const uploads = {
  receive(name: string): FileIntake {
    let sizeBytes = 0
    const file = () => ({ name, sizeBytes, sha256: '' })
    return {
      async write(chunk) {
        sizeBytes += chunk.length
      },
      finish: async (): Promise<ReceivedFile> => ({ kind: 'file', ...file(), mimeType: undefined, maxBytes: 1 }),
      discard: async () => {},
      received: file,
    }
  },
  discard: async () => {},
} as unknown as Uploads

async function* inChunks(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

const read = (contentType: string, bytes: Buffer, chunkBytes = 65_536, query = new PhpArray()) =>
  readForm('file', { contentType, body: inChunks(bytes, chunkBytes), query }, uploads)

function expected({ file, text }: PhpForm): Partial<SubmittedFile> {
  if (typeof file === 'number') return { kind: 'file', sizeBytes: file }
  if (file === 'failed') return { kind: 'incomplete' }
  return { kind: file === 'none' && (text === null || text.trim() === '') ? 'missing' : 'not-a-file' }
}

test.each(phpFacts<Fact>('forms'))('the form %.200j has the file that PHP finds, in any chunks', async (...row) => {
  const [[contentType, parts], form] = row
  const body = Buffer.from(parts.map(([text, times]) => text.repeat(times)).join(''), 'latin1')
  for (const chunkBytes of [65_536, 7, 1]) {
    const { file, method } = await read(contentType, body, chunkBytes)
    expect(file).toMatchObject(expected(form))
    expect(method ?? null).toBe(form.method)
  }
})

test('a field missing from the form is taken from the query, but a blank one is not', async () => {
  const query = parseVariables('file=x')
  const form = (name: string, text: string) =>
    Buffer.from(`--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n--X--\r\n`)
  const contentType = 'multipart/form-data; boundary=X'
  expect((await read(contentType, form('other', ''), 64, query)).file).toEqual({ kind: 'not-a-file', length: 1 })
  expect((await read(contentType, form('file', ' '), 64, query)).file).toEqual({ kind: 'missing' })
  expect((await read('application/json', Buffer.from('{}'), 64, query)).file.kind).toBe('not-a-file')
  expect((await read('application/json', Buffer.from('{"file":null}'), 64, query)).file.kind).toBe('missing')
  expect((await read('image/png', Buffer.from('x'), 64, query)).file.kind).toBe('not-a-file')
})

test('64 KB of any special characters in a form are read in linear time, in small chunks too', async () => {
  const start = '--X\r\nContent-Disposition: form-data; name="file'
  for (const hostile of [...'"\';=\\ []\r\n:,', '\\"', '\r\n--', '\r\n--X', '\n ']) {
    const many = hostile.repeat(65_536 / hostile.length)
    const bodies = [
      many,
      `${start}${many}`,
      `${start}"; filename="a${many}"\r\n\r\n`,
      `${start}"; filename=a\r\n\r\n${many}`,
    ]
    const work = async () => {
      for (const body of bodies) await read('multipart/form-data; boundary=X', Buffer.from(body), 64)
    }
    expect(await processorMs(work), JSON.stringify(hostile)).toBeLessThan(2_000)
  }
})

type Pairs = readonly (readonly [string, string | Pairs])[]

const pairs = (list: PhpArray): Pairs => [...list.values].map(([name, value]) => [name, plain(value)])
const plain = (value: PhpValue) => (value instanceof PhpArray ? pairs(value) : value)

test.each(phpFacts<readonly [string, Pairs]>('queries'))('the query %.80j has PHP’s variables', (...row) => {
  const [query, made] = row
  expect(pairs(parseVariables(query))).toEqual(made)
})
