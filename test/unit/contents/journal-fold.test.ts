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

  const end: JournalFact = { type: 'end', run: '1' }
  const [unstored, unknown]: readonly JournalFact[] = [
    { type: 'not-stored', id: 'a' },
    { type: 'unknown', id: 'a', at: 30 },
  ] as const
  test.each<[string, readonly (JournalFact | undefined)[]]>([
    ['whose run works or was killed', sent],
    ['whose run is over', [...sent, end]],
    ['that another run recorded as not stored before', [run('1'), intent('a', '1'), unstored, done('a')]],
    ['that another run calls not stored or unknown afterwards', [...sent, unstored, unknown]],
    ['whose intent line is repeated', [...sent, intent('a', '1')]],
  ])('has a done upload as stored, and not as open, %s', (_, facts) => {
    const all = facts.flatMap((fact) => fact ?? [])
    expect([slugs(all), foldOf(all).open(account, dead)]).toEqual([['slug-a'], []])
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

  test('an upload of a file that was changed since its claim is found by its new size', () => {
    const fold = foldOf([run('1'), claim('a', '1'), { ...intent('a', '1', 'y'), size: 6 }, done('a')])
    expect(fold.stored(account, 6)).toMatchObject([{ slug: 'slug-a', item: { size: 6, sha256: 'y' } }])
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
  const [of1, sent1, unread1] = [claim('a', '1'), intent('a', '1'), claim('a', '1', '')]
  const waitsFor = (id: string, owner = '2') => ({ type: 'waits', holder: { run: run(owner), path: of1.path, id } })
  const open = { type: 'open', entry: { intent: sent1, endedAt: null } }
  const oneIsOver: IsLive = ({ run }) => run !== '1'
  const ofTwo = [of1, sent1, claim('b', '2')]
  test.each<[string, readonly JournalFact[], string, object, IsLive?]>([
    ['is first where no other run claims its content', [], x, { type: 'first' }],
    ['is first where another run claims another content', [claim('a', '1', 'other')], x, { type: 'first' }],
    ['is first where another run claims another size', [{ ...of1, size: 6 }], '', { type: 'first' }],
    ['is first where another account has the claim', [{ ...of1, key_hash: 'other' }], x, { type: 'first' }],
    ['needs its hash where an earlier one has the same size', [of1], '', { type: 'needs-hash' }],
    ['needs its hash where an earlier one has none yet, too', [unread1], '', { type: 'needs-hash' }],
    ['waits for an earlier one of the same content, whose run and file it names', [of1], x, waitsFor('a', '1')],
    ['waits for one that is being sent', [of1, sent1], x, waitsFor('a', '1')],
    ['waits for one whose content is not known yet', [unread1], x, waitsFor('a', '1')],
    ['waits for the one that asks what a run that is over has sent', ofTwo, x, waitsFor('b'), oneIsOver],
    ['asks that once the other has ended', [...ofTwo, { type: 'not-stored', id: 'b' }], x, open, oneIsOver],
    ['finds the upload of an earlier one that is stored', [of1, sent1, done('a')], x, { type: 'stored' }],
    ['is first once it was not stored', [of1, sent1, { type: 'not-stored', id: 'a' }], x, { type: 'first' }],
    ['is first after a run that is over and has sent nothing', [of1], x, { type: 'first' }, dead],
    ['asks about what it has sent', [of1, sent1], x, open, dead],
    [
      'asks about an upload whose outcome its own run could not find out',
      [of1, sent1, { type: 'unknown', id: 'a', at: 30 }],
      x,
      { type: 'open', entry: { intent: sent1, endedAt: 30 } },
    ],
    [
      'ignores an upload of an ended run of unknown content',
      [unread1, intent('a', '1', '')],
      x,
      { type: 'first' },
      dead,
    ],
  ])('%s', (_, earlier, sha256, expected, isLive = alive) => {
    const fold = foldOf([run('1'), run('2'), ...earlier, claim('mine', '2', sha256)])
    expect(fold.standing('mine', isLive, 0)).toEqual(expected)
  })

  test('of what a run that is over has sent is asked by the first that waits for it', () => {
    expect(foldOf([run('1'), run('2'), ...ofTwo]).standing('b', oneIsOver, 0)).toEqual(open)
  })

  test('is first after an upload of an ended run that is too old to be looked for', () => {
    const fold = foldOf([run('1'), run('2'), of1, sent1, claim('mine', '2')])
    expect(fold.standing('mine', dead, sent1.at)).toMatchObject({ type: 'open' })
    expect(fold.standing('mine', dead, sent1.at + 1)).toEqual({ type: 'first' })
    expect(fold.standing('mine', alive, sent1.at + 1)).toMatchObject({ type: 'waits' })
  })

  test('does not wait for a later one of the same content', () => {
    const fold = foldOf([run('1'), run('2'), claim('mine', '2'), of1])
    expect(fold.standing('mine', alive, 0)).toEqual({ type: 'first' })
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
      expect(shorter.weight()).toBeGreaterThanOrEqual(fold.leastRetained(kept, dead))
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
