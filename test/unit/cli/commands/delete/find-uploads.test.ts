import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readListedUploads } from '../../../../../src/cli/choice/choose.ts'
import { findUploads } from '../../../../../src/cli/choice/names.ts'
import { NotFoundError, type Upload } from '../../../../../src/index.ts'
import { uploadObject } from '../../../../helpers/media.ts'

const { signal } = new AbortController()
const missing = new NotFoundError('Not found')

/** An account with so many uploads, and what was asked of it. */
function account(count: number) {
  const asked: string[] = []
  return {
    asked,
    async show(slug: string): Promise<Upload> {
      asked.push(slug)
      if (Number(slug.slice(1)) >= count) throw missing
      return { ...uploadObject, slug }
    },
  }
}

test('findUploads looks each slug up for a unit, but for those that are known', async () => {
  const service = account(9)
  const found = await findUploads(['s1', 's9', 's2'], service, signal, new Map([['s1', uploadObject]]))
  expect([service.asked, [...found]]).toEqual([
    ['s9', 's2'],
    [
      ['s1', uploadObject],
      ['s9', missing],
      ['s2', { ...uploadObject, slug: 's2' }],
    ],
  ])
})

test('findUploads throws the error of a lookup that fails for another reason than 404', async () => {
  const service = { ...account(9), show: () => Promise.reject(new TypeError('no way')) }
  await expect(findUploads(['s1'], service, signal)).rejects.toThrow('no way')
})

test('slugs are read one per line, without the text after a tab', async () => {
  const text = '\ufeffaB3\r\n\r\n  kL1  \nmN4\thttp://h/i/mN4\nhttp://h/i/pQ7.jpg'
  const listed = await readListedUploads(Readable.from([Buffer.from(text)]), signal)
  expect(listed.map(({ slug }) => slug)).toEqual(['aB3', 'kL1', 'mN4', 'pQ7'])
})
