import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type IntentFact,
  type JournalFact,
  looksLikeJournal,
  parseLines,
  toLine,
} from '../../../../src/cli/journal/journal-facts.ts'
import { createJournalBook } from '../../../../src/cli/journal/journal-fold.ts'
import { uploadObject } from '../../../helpers/media.ts'

const account = { base_url: 'http://h', key_hash: 'k' }
const dead = () => false
const run = (id: string): JournalFact => ({
  type: 'run',
  run: id,
  host: 'h',
  boot: 'b',
  space: 's',
  pid: 1,
  start: '1',
  at: 1,
})
const intent = (id: string, owner: string, path = '/a.jpg'): IntentFact => ({
  type: 'intent',
  id,
  run: owner,
  ...account,
  path,
  size: 5,
  sha256: 'x',
  mime_type: 'image/jpeg',
  at: 10,
})
const done = (id: string): JournalFact => ({ type: 'done', id, upload: { ...uploadObject, slug: `slug-${id}` } })

function fold(facts: readonly JournalFact[]) {
  const book = createJournalBook()
  facts.forEach(book.apply)
  return book
}

const slugs = (facts: readonly JournalFact[], isLive = dead) =>
  fold(facts)
    .stored(account, '/a.jpg', isLive)
    .map(({ upload }) => upload.slug)

describe('the journal book', () => {
  const killed = [run('1'), intent('a', '1'), done('a')]

  test('an unfinished run has stored what it has done', () => {
    expect(slugs(killed)).toEqual(['slug-a'])
  })

  test('an upload counts that ended after another run had taken it for not stored', () => {
    const late = [run('1'), intent('a', '1'), { type: 'not-stored', id: 'a' } as const, done('a')]
    expect(slugs(late)).toEqual(['slug-a'])
    expect(fold(late).slugs(account)).toEqual(['slug-a'])
    expect(slugs([...late.slice(0, 3), { type: 'dropped', id: 'a' }, done('a')])).toEqual([])
  })

  test('an upload that ends after its run was complete counts for nobody', () => {
    const end = { type: 'end', run: '1', complete: true } as const
    expect(slugs([run('1'), intent('a', '1'), { type: 'not-stored', id: 'a' }, end, done('a')])).toEqual([])
  })

  test('a run at work has stored nothing for others', () => {
    expect(slugs(killed, () => true)).toEqual([])
    expect(fold([run('1'), intent('a', '1')]).open(account, () => true)).toEqual([])
  })

  test('a run finished in part has stored what it has done, a complete one nothing', () => {
    expect(slugs([...killed, { type: 'end', run: '1', complete: false }], () => true)).toEqual(['slug-a'])
    expect(slugs([...killed, { type: 'end', run: '1', complete: true }])).toEqual([])
  })

  test('what a later run has taken ends with that run', () => {
    const taken: JournalFact[] = [...killed, run('2'), { type: 'taken', id: 'a', run: '2' }]
    expect(slugs(taken)).toEqual(['slug-a'])
    expect(slugs([...taken, { type: 'end', run: '2', complete: true }])).toEqual([])
  })

  test('an intent without an end is open, another account and path apart', () => {
    const book = fold([run('1'), intent('a', '1'), intent('b', '1'), { type: 'not-stored', id: 'b' }])
    expect(book.open(account, dead).map(({ intent: { id } }) => id)).toEqual(['a'])
    expect(book.open({ ...account, key_hash: 'other' }, dead)).toEqual([])
    expect(fold(killed).stored(account, '/b.jpg', dead)).toEqual([])
  })

  test('what is forgotten or dropped is not stored any more', () => {
    expect(slugs([...killed, { type: 'forgotten', ...account, slug: 'slug-a' }])).toEqual([])
    expect(slugs([...killed, { type: 'dropped', id: 'a' }])).toEqual([])
  })

  test('a second line of an intent does not undo what was done', () => {
    expect(slugs([...killed, intent('a', '1')])).toEqual(['slug-a'])
  })

  test('a hash that comes late counts', () => {
    const late = { ...intent('a', '1'), sha256: '' }
    const book = fold([run('1'), late, { type: 'hashed', id: 'a', sha256: 'y' }, done('a')])
    expect(book.stored(account, '/a.jpg', dead)[0]?.intent.sha256).toBe('y')
  })
})

const ids = fc.constantFrom('a', 'b', 'c')
const runs = fc.constantFrom('1', '2')
const facts: fc.Arbitrary<JournalFact> = fc.oneof(
  runs.map(run),
  fc.tuple(ids, runs).map(([id, owner]) => intent(id, owner)),
  ids.map(done),
  ids.map((id): JournalFact => ({ type: 'not-stored', id })),
  ids.map((id): JournalFact => ({ type: 'unknown', id, at: 20 })),
  fc.tuple(ids, runs).map(([id, owner]): JournalFact => ({ type: 'taken', id, run: owner })),
  ids.map((id): JournalFact => ({ type: 'dropped', id })),
  fc.tuple(runs, fc.boolean()).map(([id, complete]): JournalFact => ({ type: 'end', run: id, complete })),
)

function viewOf(list: readonly JournalFact[]) {
  const book = fold(list)
  return { open: book.open(account, dead), stored: book.stored(account, '/a.jpg', dead) }
}

test('the fold of any prefix is consistent: nothing is both open and stored, and rewriting changes nothing', () => {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 30 }), fc.nat(30), (list, length) => {
      const prefix = list.slice(0, length)
      const view = viewOf(prefix)
      const open = new Set(view.open.map(({ intent: { id } }) => id))
      expect(view.stored.filter(({ intent: { id } }) => open.has(id))).toEqual([])
      const rewritten = viewOf(fold(prefix).retained(0, dead))
      expect(new Set(rewritten.open)).toEqual(new Set(view.open))
      expect(new Set(rewritten.stored)).toEqual(new Set(view.stored))
    }),
  )
})

test('rewriting leaves out what is older, and what runs at work still need stays', () => {
  const list = [run('1'), intent('a', '1'), done('a')]
  expect(fold(list).retained(11, dead)).toEqual([])
  expect(fold(list).retained(11, () => true)).toHaveLength(3)
})

test('a line that was torn spoils nothing but itself', () => {
  fc.assert(
    fc.property(fc.array(facts, { minLength: 1, maxLength: 8 }), fc.nat(200), facts, (list, cut, next) => {
      const text = list.map(toLine).join('')
      const torn = text.slice(0, Math.max(text.length - cut, 0))
      const whole = parseLines(torn)
      expect(list.slice(0, whole.length)).toEqual(whole)
      expect(parseLines(torn + toLine(next))).toEqual([...whole, next])
    }),
  )
})

test('only a journal looks like one', () => {
  expect(['', '\n', toLine(run('1'))].map(looksLikeJournal)).toEqual([true, true, true])
  expect(looksLikeJournal('\u00ff\u00d8 a photo')).toBe(false)
})
