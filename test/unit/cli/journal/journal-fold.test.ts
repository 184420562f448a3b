import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type IntentFact,
  type JournalFact,
  looksLikeJournal,
  parseLines,
  toLine,
} from '../../../../src/cli/journal/journal-facts.ts'
import { createJournalFold } from '../../../../src/cli/journal/journal-fold.ts'
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

function foldOf(facts: readonly JournalFact[]) {
  const fold = createJournalFold()
  facts.forEach(fold.apply)
  return fold
}

const slugs = (facts: readonly JournalFact[], isLive = dead) =>
  foldOf(facts)
    .stored(account, '/a.jpg', isLive)
    .map(({ upload }) => upload.slug)

describe('the journal fold', () => {
  const killed = [run('1'), intent('a', '1'), done('a')]

  test('offers the uploads that an unfinished run has done', () => {
    expect(slugs(killed)).toEqual(['slug-a'])
  })

  test('counts an upload that is done after another run recorded it as not stored, unless it was dropped', () => {
    const late = [run('1'), intent('a', '1'), { type: 'not-stored', id: 'a' } as const, done('a')]
    expect(slugs(late)).toEqual(['slug-a'])
    expect(foldOf(late).slugs(account)).toEqual(['slug-a'])
    expect(slugs([...late.slice(0, 3), { type: 'dropped', id: 'a' }, done('a')])).toEqual([])
  })

  test('ignores an upload that is done after its run was complete', () => {
    const end = { type: 'end', run: '1', complete: true } as const
    expect(slugs([run('1'), intent('a', '1'), { type: 'not-stored', id: 'a' }, end, done('a')])).toEqual([])
  })

  test('offers nothing of a run that is still at work', () => {
    expect(slugs(killed, () => true)).toEqual([])
    expect(foldOf([run('1'), intent('a', '1')]).open(account, () => true)).toEqual([])
  })

  test('offers the uploads of a partly failed run, and none of a complete run', () => {
    expect(slugs([...killed, { type: 'end', run: '1', complete: false }], () => true)).toEqual(['slug-a'])
    expect(slugs([...killed, { type: 'end', run: '1', complete: true }])).toEqual([])
  })

  test('an upload that a later run has taken is offered until that run is complete', () => {
    const taken: JournalFact[] = [...killed, run('2'), { type: 'taken', id: 'a', run: '2' }]
    expect(slugs(taken)).toEqual(['slug-a'])
    expect(slugs([...taken, { type: 'end', run: '2', complete: true }])).toEqual([])
  })

  test('an intent without an outcome is open for its account only, and uploads are stored for their path only', () => {
    const fold = foldOf([run('1'), intent('a', '1'), intent('b', '1'), { type: 'not-stored', id: 'b' }])
    expect(fold.open(account, dead).map(({ intent: { id } }) => id)).toEqual(['a'])
    expect(fold.open({ ...account, key_hash: 'other' }, dead)).toEqual([])
    expect(foldOf(killed).stored(account, '/b.jpg', dead)).toEqual([])
  })

  test('a forgotten or dropped upload is no longer offered', () => {
    expect(slugs([...killed, { type: 'forgotten', ...account, slug: 'slug-a' }])).toEqual([])
    expect(slugs([...killed, { type: 'dropped', id: 'a' }])).toEqual([])
  })

  test('a repeated intent line does not reopen an upload that is done', () => {
    expect(slugs([...killed, intent('a', '1')])).toEqual(['slug-a'])
  })

  test('a hash written after the intent belongs to the stored upload', () => {
    const late = { ...intent('a', '1'), sha256: '' }
    const fold = foldOf([run('1'), late, { type: 'hashed', id: 'a', sha256: 'y' }, done('a')])
    expect(fold.stored(account, '/a.jpg', dead)[0]?.intent.sha256).toBe('y')
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
  const fold = foldOf(list)
  return { open: fold.open(account, dead), stored: fold.stored(account, '/a.jpg', dead) }
}

test('after any sequence of facts no upload is both open and stored, and a rewrite changes neither', () => {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 30 }), fc.nat(30), (list, length) => {
      const prefix = list.slice(0, length)
      const view = viewOf(prefix)
      const open = new Set(view.open.map(({ intent: { id } }) => id))
      expect(view.stored.filter(({ intent: { id } }) => open.has(id))).toEqual([])
      const rewritten = viewOf(foldOf(prefix).retained(0, dead))
      expect(new Set(rewritten.open)).toEqual(new Set(view.open))
      expect(new Set(rewritten.stored)).toEqual(new Set(view.stored))
    }),
  )
})

test('a rewrite leaves out old uploads, except those of runs that are still at work', () => {
  const list = [run('1'), intent('a', '1'), done('a')]
  expect(foldOf(list).retained(11, dead)).toEqual([])
  expect(foldOf(list).retained(11, () => true)).toHaveLength(3)
})

test('a torn line affects no other line', () => {
  fc.assert(
    fc.property(fc.array(facts, { minLength: 1, maxLength: 8 }), fc.nat(200), facts, (list, cut, next) => {
      const text = list.map(toLine).join('\n')
      const torn = text.slice(0, Math.max(text.length - cut, 0)).split('\n')
      const whole = parseLines(torn)
      expect(list.slice(0, whole.length)).toEqual(whole)
      expect(parseLines([...torn, toLine(next)])).toEqual([...whole, next])
    }),
  )
})

test('an empty text and JSON facts look like a journal, a photo does not', () => {
  expect([[], [' '], [toLine(run('1'))]].map(looksLikeJournal)).toEqual([true, true, true])
  expect(looksLikeJournal(['\u00ff\u00d8 a photo'])).toBe(false)
})
