import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { deleteQuestion, findUploads } from '../../../../../src/cli/commands/delete/find-uploads.ts'
import { slugLines } from '../../../../../src/cli/input/named-uploads.ts'
import { NotFoundError, type Upload } from '../../../../../src/index.ts'
import { uploadObject } from '../../../../helpers/media.ts'

const { signal } = new AbortController()

/** An account with so many uploads, `s0` the newest, and what was asked of it. */
function account(count: number) {
  const uploads = Array.from({ length: count }, (_, index) => ({ ...uploadObject, slug: `s${index}` }))
  const asked: string[] = []
  return {
    asked,
    async list({ page = 1 } = {}) {
      asked.push(`page ${page}`)
      const data = uploads.slice((page - 1) * 50, page * 50)
      return { data, current_page: page, last_page: Math.max(1, Math.ceil(count / 50)) } as never
    },
    async show(slug: string): Promise<Upload> {
      asked.push(slug)
      const upload = uploads.find((one) => one.slug === slug)
      if (upload === undefined) throw notFound()
      return upload
    },
  }
}

function notFound(): NotFoundError {
  return new NotFoundError('Not found')
}

function slugs(...numbers: readonly number[]): readonly string[] {
  return numbers.map((number) => `s${number}`)
}

test('findUploads looks a few slugs up one by one, and returns the error of those that are missing', async () => {
  const service = account(500)
  const found = await findUploads(slugs(0, 900, 499), service, signal)
  expect(service.asked).toEqual(['s0', 's900', 's499'])
  expect([...found.values()].map((one) => one instanceof NotFoundError)).toEqual([false, true, false])
})

test('findUploads looks many slugs up in the list, and stops after the last one', async () => {
  const service = account(500)
  await findUploads(slugs(1, 2, 3, 4, 5, 6, 7, 49), service, signal)
  expect(service.asked).toEqual(['page 1'])
})

test('findUploads looks the remaining slugs up one by one if they are fewer than the remaining pages', async () => {
  const service = account(5_000)
  await findUploads(slugs(0, 1, 2, 3, 4, 4_000), service, signal)
  expect(service.asked).toEqual(['page 1', 's4000'])
})

test('findUploads looks up each slug that is missing from the list, since it may have moved between pages', async () => {
  const service = account(20)
  const found = await findUploads([...slugs(0, 1, 2, 3, 4), 'gone'], service, signal)
  expect(service.asked).toEqual(['page 1', 'gone'])
  expect(found.get('gone')).toBeInstanceOf(NotFoundError)
})

test('findUploads sends at most one request per slug, and few more than there are pages', async () => {
  const wanted = fc.uniqueArray(fc.nat(999), { minLength: 1, maxLength: 80 })
  await fc.assert(
    fc.asyncProperty(wanted, async (numbers) => {
      const service = account(1_000)
      const found = await findUploads(slugs(...numbers), service, signal)
      expect([...found.keys()]).toEqual(slugs(...numbers))
      expect([...found.values()].every((one) => !(one instanceof Error))).toBe(true)
      const most = numbers.length <= 5 ? numbers.length : 1 + Math.min(numbers.length, 19)
      expect(service.asked.length).toBeLessThanOrEqual(most)
    }),
    { numRuns: 50 },
  )
})

test('findUploads reads no more pages of an endless list than there are slugs', async () => {
  const service = { ...account(0), list: async ({ page = 1 } = {}) => ({ data: [], last_page: page + 1 }) as never }
  await findUploads(slugs(0, 1, 2, 3, 4, 5), service, signal)
  expect(service.asked).toEqual(slugs(0, 1, 2, 3, 4, 5))
})

test('findUploads throws the error of a lookup that fails for another reason than 404', async () => {
  const service = { ...account(9), show: () => Promise.reject(new TypeError('no way')) }
  await expect(findUploads(slugs(1), service, signal)).rejects.toThrow('no way')
})

describe('what is asked before a deletion', () => {
  beforeEach(() => void vi.stubEnv('TZ', 'Europe/Bucharest'))
  afterEach(() => void vi.unstubAllEnvs())
  const now = Date.parse('2026-11-20T23:32:18+02:00') + 3 * 3_600_000
  const upload = { ...uploadObject, size: 2_048 }
  const unnamed = () => null

  test('the question before one upload is deleted is one line', () => {
    expect(deleteQuestion(new Map([['s1', upload]]), unnamed, now)).toBe(
      'Delete s1 (image/jpeg, 2 KB, 3 h ago) for good? [y/N] ',
    )
  })

  test('the question before several uploads are deleted lists missing slugs, each upload and the total size', () => {
    const old = { ...upload, mime_type: 'video/mp4', size: 1.5 * 1_048_576, created_at: '2024-01-01T20:04:05-05:00' }
    const found = new Map<string, Upload | NotFoundError>([
      ['gone', notFound()],
      ['s1', upload],
      ['longer', old],
    ])
    expect(deleteQuestion(found, unnamed, now)?.split('\n')).toEqual([
      'Not found: gone',
      '  s1      image/jpeg    2 KB  3 h ago',
      '  longer  video/mp4   1.5 MB  2024-01-02 03:04',
      'Delete 2 uploads (1.5 MB) for good? [y/N] ',
    ])
  })

  test('the question before many uploads are deleted shows twenty, and what it costs if it takes long', () => {
    const found = new Map(slugs(...Array(25).keys()).map((slug) => [slug, upload]))
    const plan = { count: 25, bytes: 51_200, units: 75, endsAt: now + 90_000 }
    const lines = deleteQuestion(found, unnamed, now, plan)?.split('\n') ?? []
    expect([lines.length, lines[19]]).toEqual([23, '  s19  image/jpeg  2 KB  3 h ago'])
    expect(lines.slice(20)).toEqual([
      '  and 5 more; fh delete -n shows all',
      expect.stringMatching(/^75 units; done \d\d:\d\d, 1 min 30 s from now$/),
      'Delete 25 uploads (50 KB) for good? [y/N] ',
    ])
    expect(deleteQuestion(found, unnamed, now, { ...plan, endsAt: undefined })).not.toContain('units')
  })

  test('the question before a deletion names an upload by its title, or by the file it was uploaded from', () => {
    const nameOf = ({ slug, title }: Pick<Upload, 'slug' | 'title'>) =>
      title ?? (slug === 's1' ? 'cat\u001b[2J.png' : null)
    const found = new Map([
      ['s1', { ...upload, slug: 's1' }],
      ['s2', { ...upload, slug: 's2', title: 'A holiday '.repeat(9) }],
      ['s3', { ...upload, slug: 's3' }],
    ])
    expect(deleteQuestion(found, nameOf, now)?.split('\n').slice(0, 3)).toEqual([
      '  s1  image/jpeg  2 KB  3 h ago  cat\\x1b[2J.png',
      '  s2  image/jpeg  2 KB  3 h ago  A holiday A holiday A holiday…A holiday A holiday A holiday',
      '  s3  image/jpeg  2 KB  3 h ago',
    ])
    expect(deleteQuestion(new Map([['s1', { ...upload, slug: 's1' }]]), nameOf, now)).toBe(
      'Delete s1 (cat\\x1b[2J.png, image/jpeg, 2 KB, 3 h ago) for good? [y/N] ',
    )
  })

  test('there is no question if no upload was found', () => {
    expect(deleteQuestion(new Map([['gone', notFound()]]), unnamed, now)).toBeUndefined()
  })

  test('control characters in the question before a deletion are escaped', () => {
    const found = new Map([['a\u001b[2J', { ...upload, mime_type: 'x\u0007' }]])
    expect(deleteQuestion(found, unnamed, now)).toContain('Delete a\\x1b[2J (x\\x07, ')
  })
})

test('slugs are read one per line, without the text after a tab', () => {
  const text = '\ufeffaB3\r\n\r\n  kL1  \nmN4\thttp://h/i/mN4\nhttp://h/i/pQ7.jpg'
  expect(slugLines(text)).toEqual(['aB3', 'kL1', 'mN4', 'http://h/i/pQ7.jpg'])
})
