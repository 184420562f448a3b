import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ClaimFact,
  type IntentFact,
  type JournalFact,
  looksLikeJournal,
  parseLines,
  toLine,
} from '../../../src/contents/journal-facts.ts'
import { foldOf, type IsLive } from '../../../src/contents/journal-fold.ts'
import { uploadObject } from '../../helpers/media.ts'

const account = { base_url: 'http://h', key_hash: '0123456789abcdef' }
const x = 'f'.repeat(64)
const dead = () => false
const alive = () => true
const run = (id: string): JournalFact => ({
  type: 'run',
  run: id,
  ...{ host: 'h', boot: 'b', space: 's', pid: 1, start: '1' },
  at: 1,
})
const item = { ...account, path: '/a.jpg', size: 5, at: 10 }
const claim = (id: string, owner: string, sha256 = x): ClaimFact => ({ type: 'claim', id, run: owner, ...item, sha256 })
const intent = (id: string, owner: string, sha256 = x): IntentFact => ({
  ...claim(id, owner, sha256),
  type: 'intent',
  mime_type: 'image/jpeg',
})
const slugOf = (id: string) => `slug-${id}`
const done = (id: string, at = 20): JournalFact => ({
  type: 'done',
  id,
  upload: { ...uploadObject, slug: slugOf(id) },
  at,
})
const forgotten = (slug: string): JournalFact => ({ type: 'forgotten', ...account, slug })

const since = (pending: number, recent: number, fresh = recent) => ({ pending, recent, fresh })

const slugs = (facts: readonly JournalFact[]) =>
  foldOf(facts)
    .stored(account, 5)
    .map(({ slug }) => slug)

describe('the journal fold', () => {
  const sent = [run('1'), claim('a', '1'), intent('a', '1'), done('a')]

  test('a done upload is stored, whether its run works, is over or was killed', () => {
    expect(slugs(sent)).toEqual(['slug-a'])
    expect(slugs([...sent, { type: 'end', run: '1' }])).toEqual(['slug-a'])
  })

  test('an upload that is done after another run recorded it as not stored is stored', () => {
    expect(slugs([run('1'), intent('a', '1'), { type: 'not-stored', id: 'a' }, done('a')])).toEqual(['slug-a'])
  })

  test('an upload that another run calls not stored or unknown after it was done stays stored', () => {
    expect(slugs([...sent, { type: 'not-stored', id: 'a' }, { type: 'unknown', id: 'a', at: 30 }])).toEqual(['slug-a'])
  })

  test('a repeated intent line does not reopen an upload that is done', () => {
    expect(slugs([...sent, intent('a', '1')])).toEqual(['slug-a'])
    expect(foldOf([...sent, intent('a', '1')]).open(account, dead)).toEqual([])
  })

  test('a forgotten upload is not stored until the service shows it again', () => {
    const gone = [...sent, forgotten('slug-a')]
    expect(slugs(gone)).toEqual([])
    expect(foldOf(gone).isForgotten(account, 'slug-a')).toBe(true)
    const upload = { ...uploadObject, slug: 'slug-a' }
    const again = [...gone, { type: 'found', id: 'f', run: '2', ...item, sha256: 'x', upload, at: 40 } as const]
    expect([slugs(again), foldOf(again).isForgotten(account, 'slug-a')]).toEqual([['slug-a'], false])
  })

  test('an intent without an outcome is open for its account once its run is over', () => {
    const fold = foldOf([run('1'), intent('a', '1'), intent('b', '1'), { type: 'not-stored', id: 'b' }])
    expect(fold.open(account, dead).map(({ intent: { id } }) => id)).toEqual(['a'])
    expect(fold.open(account, alive)).toEqual([])
    expect(fold.open({ ...account, key_hash: 'other' }, dead)).toEqual([])
  })

  test('a claim without an intent is never open: nothing of it was sent', () => {
    expect(foldOf([run('1'), claim('a', '1')]).open(account, dead)).toEqual([])
  })

  test('a hash written after the intent belongs to the stored upload', () => {
    const fold = foldOf([run('1'), intent('a', '1', ''), { type: 'hashed', id: 'a', sha256: 'y' }, done('a')])
    expect(fold.stored(account, 5)[0]?.item.sha256).toBe('y')
  })

  test('a journal of an earlier version, with taken and dropped lines and a complete end, tells what is stored', () => {
    const lines = [
      ...sent.map(toLine),
      '{"type":"taken","id":"a","run":"2"}',
      '{"type":"end","run":"1","complete":true}',
    ]
    expect(slugs(parseLines(lines))).toEqual(['slug-a'])
  })
})

describe('a claim', () => {
  const standing = (earlier: readonly JournalFact[], sha256: string, isLive: IsLive = alive) =>
    foldOf([run('1'), run('2'), ...earlier, claim('mine', '2', sha256)]).standing('mine', isLive, 0)

  test('of a content that no other run claims is first', () => {
    expect(standing([], x)).toEqual({ type: 'first' })
    expect(standing([claim('a', '1', 'other')], x)).toEqual({ type: 'first' })
    expect(standing([{ ...claim('a', '1'), size: 6 }], '')).toEqual({ type: 'first' })
    expect(standing([{ ...claim('a', '1'), key_hash: 'other' }], x)).toEqual({ type: 'first' })
  })

  test('needs its hash where an earlier one has the same size', () => {
    expect(standing([claim('a', '1')], '')).toEqual({ type: 'needs-hash' })
    expect(standing([claim('a', '1', '')], '')).toEqual({ type: 'needs-hash' })
  })

  test('waits for an earlier one of the same content, whose run and file it names, and for one whose content is not known yet', () => {
    const holder = { run: run('1'), path: claim('a', '1').path, id: 'a' }
    expect(standing([claim('a', '1')], x)).toEqual({ type: 'waits', holder })
    expect(standing([claim('a', '1'), intent('a', '1')], x)).toMatchObject({ type: 'waits' })
    expect(standing([claim('a', '1', '')], x)).toMatchObject({ type: 'waits' })
  })

  test('is first after an upload of an ended run that is too old to be looked for', () => {
    const fold = foldOf([run('1'), run('2'), claim('a', '1'), intent('a', '1'), claim('mine', '2')])
    const { at } = intent('a', '1')
    expect(fold.standing('mine', dead, at)).toMatchObject({ type: 'open' })
    expect(fold.standing('mine', dead, at + 1)).toEqual({ type: 'first' })
    expect(fold.standing('mine', alive, at + 1)).toMatchObject({ type: 'waits' })
  })

  test('of what a run that is over has sent is asked by the first that waits for it; the others wait for that one', () => {
    const sent = [claim('a', '1'), intent('a', '1'), claim('b', '2')]
    const oneIsOver: IsLive = ({ run }) => run !== '1'
    expect(foldOf([run('1'), run('2'), ...sent]).standing('b', oneIsOver, 0)).toMatchObject({ type: 'open' })
    expect(standing(sent, x, oneIsOver)).toMatchObject({ type: 'waits', holder: { id: 'b' } })
    expect(standing([...sent, { type: 'not-stored', id: 'b' }], x, oneIsOver)).toMatchObject({ type: 'open' })
  })

  test('does not wait for a later one of the same content', () => {
    const fold = foldOf([run('1'), run('2'), claim('mine', '2'), claim('a', '1')])
    expect(fold.standing('mine', alive, 0)).toEqual({ type: 'first' })
  })

  test('finds the upload of an earlier one that is stored', () => {
    expect(standing([claim('a', '1'), intent('a', '1'), done('a')], x)).toEqual({ type: 'stored' })
  })

  test('is first once the earlier one was not stored', () => {
    const failed: readonly JournalFact[] = [claim('a', '1'), intent('a', '1'), { type: 'not-stored', id: 'a' }]
    expect(standing(failed, x)).toEqual({ type: 'first' })
  })

  test('does not wait for a run that is over: it is first where nothing was sent, and asks about what was sent', () => {
    expect(standing([claim('a', '1')], x, dead)).toEqual({ type: 'first' })
    const entry = { intent: intent('a', '1'), endedAt: null }
    expect(standing([claim('a', '1'), intent('a', '1')], x, dead)).toEqual({ type: 'open', entry })
  })

  test('asks about an upload whose outcome its own run could not find out', () => {
    const unknown = [claim('a', '1'), intent('a', '1'), { type: 'unknown', id: 'a', at: 30 } as const]
    expect(standing(unknown, x)).toEqual({ type: 'open', entry: { intent: intent('a', '1'), endedAt: 30 } })
  })

  test('ignores an upload of an ended run whose content is not known', () => {
    expect(standing([claim('a', '1', ''), intent('a', '1', '')], x, dead)).toEqual({ type: 'first' })
  })
})

const ids = fc.constantFrom('a', 'b', 'c')
const runs = fc.constantFrom('1', '2')
const facts: fc.Arbitrary<JournalFact> = fc.oneof(
  runs.map(run),
  fc.tuple(ids, runs).map(([id, owner]) => claim(id, owner)),
  fc.tuple(ids, runs).map(([id, owner]) => intent(id, owner)),
  ids.map((id) => done(id)),
  ids.map((id): JournalFact => ({ type: 'not-stored', id })),
  ids.map((id): JournalFact => ({ type: 'unknown', id, at: 20 })),
  ids.map((id) => forgotten(slugOf(id))),
  runs.map((id): JournalFact => ({ type: 'end', run: id })),
)

test('after any sequence of facts no upload is both open and stored, and a shorter journal with its record tells the same', () => {
  const ages = fc.constantFrom(since(0, 0), since(0, 0, 1_000), since(0, 1_000))
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 30 }), ages, (list, kept) => {
      const fold = foldOf(list)
      const open = fold.open(account, dead)
      const stored = fold.stored(account, 5)
      expect(stored.filter(({ item: { id } }) => open.some(({ intent }) => intent.id === id))).toEqual([])
      const { facts, stored: moved } = fold.retained(kept, dead)
      const shorter = foldOf(facts)
      expect(shorter.count()).toBeGreaterThanOrEqual(fold.storedSince(kept.recent))
      expect(new Set(shorter.open(account, dead))).toEqual(new Set(open))
      const [inJournal, inRecord] = [shorter.stored(account, 5), moved].map((all) => all.map(({ slug }) => slug))
      const told = new Set(stored.map(({ slug }) => slug))
      expect(new Set([...(inJournal ?? []), ...(inRecord ?? [])])).toEqual(told)
      if (kept.recent === 0) expect(new Set(inJournal)).toEqual(told)
    }),
  )
})

test('a claim that comes after a shortening finds a content that was stored shortly before it', () => {
  const { facts } = foldOf([run('1'), intent('a', '1'), done('a')]).retained(since(0, 0, 1_000), dead)
  const standing = (hash: string) => foldOf([...facts, run('2'), claim('b', '2', hash)]).standing('b', alive, 0).type
  expect(facts.map(({ type }) => type)).toEqual(['recent'])
  expect([standing(x), standing(''), standing('e'.repeat(64))]).toEqual(['stored', 'needs-hash', 'first'])
})

test('so does a claim that was made before the upload, and a run that asks for it by its name', () => {
  const waiting = [run('1'), run('2'), claim('a', '1'), claim('b', '2'), intent('a', '1'), done('a')]
  const works = ({ run: id }: { run: string }) => id === '2'
  const shorter = foldOf(foldOf(waiting).retained(since(0, 0, 1_000), works).facts)
  expect([shorter.standing('b', works, 0).type, shorter.outcomeOf('a')?.type]).toEqual(['stored', 'stored'])
})

test('a shorter journal keeps what was stored since the oldest open upload began, and drops open ones that are too old', () => {
  const fold = foldOf([run('1'), intent('a', '1'), done('a', 20), { ...intent('b', '2'), at: 15 }])
  const kept = (pending: number) => fold.retained(since(pending, 1_000), dead).facts
  expect(kept(0)).toEqual([expect.objectContaining({ type: 'recent' }), { ...intent('b', '2'), at: 15 }])
  expect(foldOf(kept(0)).slugs(account)).toEqual([slugOf('a')])
  expect(kept(16)).toEqual([])
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

describe('uploads under way', () => {
  const facts: readonly JournalFact[] = [
    run('r1'),
    claim('c', 'r1'),
    intent('a', 'r1', ''),
    intent('b', 'r1'),
    { type: 'looking', id: 'b' },
    intent('d', 'r1'),
    done('d'),
    intent('e', 'r1'),
    { type: 'not-stored', id: 'e' },
  ]
  const seen = (all: readonly JournalFact[], isLive: () => boolean) =>
    foldOf(all)
      .underway(account, isLive)
      .map(({ id, sha256, isLooking }) => `${id}:${sha256}:${isLooking}`)

  test('are those of runs at work that were begun and have no outcome, in the order of the journal', () => {
    expect(seen(facts, alive)).toEqual(['a::false', `b:${x}:true`])
    expect(seen(facts, dead)).toEqual([])
    expect(seen([...facts, intent('b', 'r1')], alive)).toEqual(['a::false', `b:${x}:false`])
  })

  test('stay so where the journal is shortened', () => {
    const kept = foldOf(facts).retained(since(0, 0), alive).facts
    expect(seen(kept, alive)).toEqual(['a::false', `b:${x}:true`])
  })
})

test('what a run has of an account that was left stays while a run at work waits for it', () => {
  const left: readonly JournalFact[] = [
    run('r1'),
    intent('a', 'r1'),
    { type: 'leaving', run: 'r1', ...account },
    run('r2'),
    { ...claim('b', 'r2'), at: 2_000 },
    done('a'),
    { type: 'end', run: 'r1' },
  ]
  const kept = (facts: readonly JournalFact[]) => foldOf(facts).retained(since(0, 1_000), alive).facts
  const isStored = (facts: readonly JournalFact[]) => kept(kept(facts)).some(isDone)
  const isDone = ({ type }: JournalFact) => type === 'done'
  expect([foldOf(left).isLeft(alive), isStored(left)]).toEqual([false, true])
  const ended: readonly JournalFact[] = [...left, { type: 'not-stored', id: 'b' }, { type: 'end', run: 'r2' }]
  expect([foldOf(ended).isLeft(alive), isStored(ended)]).toEqual([true, false])
})

test('whether runs are at work is asked once for each run, however many items of an account that is left there are', () => {
  const many = Array.from({ length: 50 }, (_, index) => index)
  const fold = foldOf([
    run('r1'),
    run('r2'),
    ...many.flatMap((index) => [intent(`a${index}`, 'r1'), done(`a${index}`), claim(`b${index}`, 'r2')]),
    { type: 'leaving', run: 'r1', ...account },
  ])
  let asked = 0
  const isLive = () => {
    asked += 1
    return false
  }
  expect(fold.retained(since(1_000, 0), isLive).stored).toEqual([])
  expect(asked).toBe(2)
})
