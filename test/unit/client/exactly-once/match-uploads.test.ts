import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type MatchContext,
  matchUploads,
  mayGoBackTo,
  type SoughtUpload,
} from '../../../../src/client/exactly-once/match-uploads.ts'
import type { Timing } from '../../../../src/client/exactly-once/uncertain-upload.ts'
import type { Upload, UploadIntent } from '../../../../src/index.ts'
import { uploadObject } from '../../../helpers/media.ts'

const startedAt = Date.parse('2026-01-15T12:00:00.400Z')
/** The timing by a service whose clock is ahead by so many milliseconds. */
const timed =
  ({ least, most }: { readonly least: number; readonly most: number }) =>
  ({ startedAt: from, endedAt }: UploadIntent): Timing => ({
    begun: { from: from + least, to: from + most },
    ended: endedAt === null ? Number.POSITIVE_INFINITY : endedAt + most,
  })
const exact = timed({ least: 0, most: 0 })
const intent = (more: Partial<UploadIntent> = {}): UploadIntent => ({
  size: 100,
  mimeType: 'image/jpeg',
  startedAt,
  endedAt: startedAt + 2_000,
  knownSlugs: [],
  ...more,
})
let count = 0
const upload = (afterMs: number, more: Partial<Upload> = {}): Upload => {
  count += 1
  const created_at = `${new Date(startedAt + afterMs).toISOString().slice(0, 19)}Z`
  return { ...uploadObject, slug: `slug${count}`, size: 100, created_at, ...more }
}
const sought = (of: UploadIntent, { timingOf = exact, isKnown = () => false }: Knowledge = {}): SoughtUpload => ({
  intent: of,
  timing: timingOf(of),
  isKnown,
})
interface Knowledge extends Partial<Pick<MatchContext, 'treatmentOf'>>, Partial<Pick<SoughtUpload, 'isKnown'>> {
  readonly timingOf?: typeof exact
  readonly others?: readonly UploadIntent[]
}
const match = (listed: readonly Upload[], knowledge: Knowledge = {}, of = intent()) => {
  const { others = [], treatmentOf = () => 'keeps' } = knowledge
  const context = { others: others.map((other) => sought(other, knowledge)), treatmentOf }
  return matchUploads([sought(of, knowledge)], listed, context)[0]
}

describe('an upload is found', () => {
  test.each([0, 500, 1_999, 30_000, 599_000])(
    'an upload is found if an entry of its look was made %i ms after its start',
    (ms) => {
      const own = upload(ms)
      expect(match([own])).toEqual({ type: 'stored', upload: own })
    },
  )

  test('an upload is found if its type is listed with parameters or in capitals', () => {
    const own = upload(0, { mime_type: 'Image/JPEG; charset=binary' })
    expect(match([own])).toEqual({ type: 'stored', upload: own })
  })

  test('an upload is found among entries of another look', () => {
    const own = upload(0)
    const others = [upload(0, { size: 99 }), upload(0, { mime_type: 'image/png' })]
    expect(match([...others, own])).toEqual({ type: 'stored', upload: own })
  })

  test('an upload is found by the service’s clock, not by this machine’s', () => {
    const own = upload(7_200_000)
    expect(match([own], { timingOf: timed({ least: 7_199_000, most: 7_201_000 }) })).toMatchObject({ type: 'stored' })
    expect(match([own], { timingOf: timed({ least: -1_000, most: 1_000 }) })).toEqual({ type: 'missing' })
  })
})

describe('an upload is missing', () => {
  test('an upload is missing if the list is empty', () => {
    expect(match([])).toEqual({ type: 'missing' })
  })

  test.each([-2_000, -60_000, 612_000])(
    'an upload is missing if the only entry of its look was made %i ms from its start',
    (ms) => {
      expect(match([upload(ms)])).toEqual({ type: 'missing' })
    },
  )

  test('an upload is missing if all entries of its look are known to be other files', () => {
    const [named, known] = [upload(0), upload(0)]
    const isKnown = (slug: string) => slug === known.slug
    expect(match([named, known], { isKnown }, intent({ knownSlugs: [named.slug] }))).toEqual({ type: 'missing' })
  })

  test('an upload is missing if the service keeps files as they are and shows only other ones', () => {
    expect(match([upload(0, { size: 99 })])).toEqual({ type: 'missing' })
  })
})

describe('an upload stays open', () => {
  test('an upload stays open if two entries have its look', () => {
    const two = [upload(0), upload(1_000)]
    expect(match(two)).toEqual({ type: 'ambiguous', candidates: two })
  })

  test('an upload stays open if the entry of its look may be another of ours', () => {
    const one = upload(0)
    expect(match([one], { others: [intent()] })).toEqual({ type: 'ambiguous', candidates: [one] })
    expect(match([one], { others: [intent({ size: 99 })] })).toMatchObject({ type: 'stored' })
  })

  test.each([
    ['has not shown what it does with files', undefined],
    ['has changed one before', 'changes' as const],
  ])('an upload stays open if a new entry has another look and the service %s', (_, treatment) => {
    const strange = upload(0, { size: 108 })
    expect(match([strange], { treatmentOf: () => treatment })).toEqual({ type: 'ambiguous', candidates: [strange] })
  })

  test('an upload stays open if one entry has its look and one has not, and the service has changed files before', () => {
    const both = [upload(0), upload(0, { size: 108 })]
    const treatmentOf = () => 'changes' as const
    expect(match(both, { treatmentOf })).toEqual({ type: 'ambiguous', candidates: both })
    expect(match(both.slice(0, 1), { treatmentOf })).toMatchObject({ type: 'stored' })
  })

  test('an upload of unknown size stays open if there is a new entry', () => {
    const one = upload(0)
    expect(match([one], {}, intent({ size: null }))).toEqual({ type: 'ambiguous', candidates: [one] })
    expect(match([], {}, intent({ size: null }))).toEqual({ type: 'missing' })
  })

  test('an upload of a type that is not accepted stays open if a new entry has another look, even if such files were kept before', () => {
    const named = upload(0, { mime_type: 'text/x-c' })
    const source = intent({ mimeType: 'text/plain' })
    expect(match([named], {}, source)).toEqual({ type: 'ambiguous', candidates: [named] })
    const same = upload(0, { mime_type: 'text/plain' })
    expect(match([same], {}, source)).toEqual({ type: 'stored', upload: same })
  })

  test('an upload stays open if the time of the entry of its look cannot be read', () => {
    const one = upload(0, { created_at: '2026-01-15 12:00:00' })
    expect(match([one])).toEqual({ type: 'ambiguous', candidates: [one] })
  })

  test.each([-3_600_000, 3_600_000])(
    'an upload stays open if the entry of its look is %i ms off, as on a daylight saving change',
    (ms) => {
      const one = upload(ms)
      expect(match([one])).toEqual({ type: 'ambiguous', candidates: [one] })
      expect(match([one, upload(0)])).toMatchObject({ type: 'stored' })
    },
  )
})

describe('what another of our uploads accounts for', () => {
  const other = intent({ size: 99 })
  const ofOther = upload(0, { size: 99 })

  test('an entry that another of our uploads explains leaves nothing open', () => {
    expect(match([ofOther], { others: [other], treatmentOf: () => undefined })).toEqual({ type: 'missing' })
  })

  test('an entry that another of our uploads explains shows that the service keeps files as they are', () => {
    const strange = upload(0, { size: 5 })
    const circumstances = { others: [other], treatmentOf: () => undefined }
    expect(match([ofOther, strange], circumstances)).toEqual({ type: 'missing' })
    expect(match([strange], circumstances)).toEqual({ type: 'ambiguous', candidates: [strange] })
  })

  test('an entry that is known to be another file shows nothing', () => {
    const strange = upload(0, { size: 5 })
    const circumstances = { others: [other], treatmentOf: () => undefined }
    const known = intent({ knownSlugs: [ofOther.slug] })
    expect(match([ofOther, strange], circumstances, known)).toEqual({ type: 'ambiguous', candidates: [strange] })
  })

  test('an entry that another of our uploads explains leaves the outcome open if the service changes files', () => {
    const circumstances = { others: [other], treatmentOf: () => 'changes' as const }
    expect(match([ofOther], circumstances)).toEqual({ type: 'ambiguous', candidates: [ofOther] })
    const own = upload(0)
    expect(match([own], circumstances)).toEqual({ type: 'ambiguous', candidates: [own] })
    expect(match([own], { ...circumstances, others: [intent({ size: 99, mimeType: 'image/gif' })] })).toEqual({
      type: 'stored',
      upload: own,
    })
  })

  test('two of our uploads find their own entries together', () => {
    const own = upload(0)
    const ours = [sought(intent()), sought(other)]
    expect(matchUploads(ours, [ofOther, own], { others: [], treatmentOf: () => undefined })).toEqual([
      { type: 'stored', upload: own },
      { type: 'stored', upload: ofOther },
    ])
  })
})

test('an upload in the list is never reported missing, and never matched with another’s entry', () => {
  const foreign = fc.record({
    afterMs: fc.integer({ min: -10_000, max: 10_000 }),
    size: fc.constantFrom(99, 100, 101),
    known: fc.boolean(),
  })
  const scene = fc.record({
    offsetMs: fc.integer({ min: -50_000_000, max: 50_000_000 }),
    slackMs: fc.record({ below: fc.nat(2_000), above: fc.nat(2_000) }),
    lasts: fc.nat(20_000),
    madeAfter: fc.nat(20_000),
    change: fc.constantFrom(0, 8),
    foreign: fc.array(foreign, { maxLength: 4 }),
    rounds: fc.boolean(),
  })
  fc.assert(
    fc.property(scene, ({ offsetMs, slackMs, lasts, madeAfter, change, foreign: others, rounds }) => {
      const shown = (ms: number) => {
        const at = startedAt + ms + offsetMs
        const whole = rounds ? Math.round(at / 1_000) : Math.floor(at / 1_000)
        return `${new Date(whole * 1_000).toISOString().slice(0, 19)}Z`
      }
      const own = upload(0, { created_at: shown(Math.min(madeAfter, lasts)), size: 100 + change })
      const listed = others.map(({ afterMs, size }) => upload(0, { created_at: shown(afterMs), size }))
      const known = new Set(listed.filter((_, index) => others[index]?.known).map(({ slug }) => slug))
      const sent = intent({ endedAt: startedAt + lasts })
      const found = match(
        [...listed, own],
        {
          timingOf: timed({ least: offsetMs - slackMs.below, most: offsetMs + slackMs.above }),
          isKnown: (slug) => known.has(slug),
          treatmentOf: () => (change === 0 ? 'keeps' : 'changes'),
        },
        sent,
      )
      expect(found?.type).not.toBe('missing')
      if (found?.type === 'stored' && change === 0) expect(found.upload).toBe(own)
      if (found?.type === 'ambiguous') expect(found.candidates).toContain(own)
    }),
  )
})

test('further pages are read while their uploads may be of the time of an intent', () => {
  const [now, earlier] = [exact(intent()), exact(intent({ startedAt: startedAt - 9_000 }))]
  expect(mayGoBackTo(upload(0), [now])).toBe(true)
  expect(mayGoBackTo(upload(-3_000), [now])).toBe(false)
  expect(mayGoBackTo(upload(-3_000), [timed({ least: -5_000, most: 0 })(intent())])).toBe(true)
  expect(mayGoBackTo(upload(-3_000), [now, earlier])).toBe(true)
  expect(mayGoBackTo(upload(0, { created_at: '?' }), [now])).toBe(false)
})

test('an entry of its look that may be older leaves the outcome open', () => {
  const one = upload(0)
  const timingOf = timed({ least: -3_600_000, most: 60_000 })
  expect(match([one], { timingOf })).toEqual({ type: 'ambiguous', candidates: [one] })
  expect(match([upload(60_000)], { timingOf })).toMatchObject({ type: 'stored' })
})
