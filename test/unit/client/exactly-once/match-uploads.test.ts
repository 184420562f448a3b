import { expect, test } from 'vitest'
import { decideByContent } from '../../../../src/client/exactly-once/lookalikes.ts'
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
  (least: number, most: number) =>
  ({ startedAt: from, endedAt }: UploadIntent): Timing => ({
    begun: { from: from + least, to: from + most },
    ended: endedAt === null ? Number.POSITIVE_INFINITY : endedAt + most,
  })
const exact = timed(0, 0)
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

const missing = { type: 'missing' }
const found = (own: Upload) => ({ type: 'stored', upload: own })
const open = (...candidates: readonly Upload[]) => ({ type: 'ambiguous' as const, candidates })

const [own, second, late, minuteLater] = [upload(0), upload(1_000), upload(7_200_000), upload(60_000)]
const [smaller, strange, png] = [
  upload(0, { size: 99 }),
  upload(0, { size: 108 }),
  upload(0, { mime_type: 'image/png' }),
]
const capitals = upload(0, { mime_type: 'Image/JPEG; charset=binary' })
const [cSource, text] = [upload(0, { mime_type: 'text/x-c' }), upload(0, { mime_type: 'text/plain' })]
const dateless = upload(0, { created_at: '2026-01-15 12:00:00' })
const other = intent({ size: 99 })
const gif = intent({ size: 99, mimeType: 'image/gif' })
const plainText = intent({ mimeType: 'text/plain' })
const ours = [other]
const changes: Knowledge = { treatmentOf: () => 'changes' }
const untold: Knowledge = { treatmentOf: () => undefined }

type Row = [title: string, listed: readonly Upload[], end: object, knowledge?: Knowledge, of?: UploadIntent]

const rows: readonly Row[] = [
  ...[upload(0), upload(500), upload(1_999), upload(30_000), upload(599_000)].map(
    (one): Row => [`is found if an entry of its look was made ${one.created_at}`, [one], found(one)],
  ),
  ...[upload(-2_000), upload(-60_000), upload(612_000)].map(
    (one): Row => [`is missing if the only entry of its look was made ${one.created_at}`, [one], missing],
  ),
  ...[upload(-3_600_000), upload(3_600_000)].flatMap((one): Row[] => [
    [`stays open if the entry is an hour off, as on a daylight saving change: ${one.created_at}`, [one], open(one)],
    [`is found beside an entry that is an hour off: ${one.created_at}`, [one, own], found(own)],
  ]),
  ['is found if its type is listed with parameters or in capitals', [capitals], found(capitals)],
  ['is found among entries of another look', [smaller, png, own], found(own)],
  ['is found by the service’s clock', [late], found(late), { timingOf: timed(7_199_000, 7_201_000) }],
  ['is not found by this machine’s clock', [late], missing, { timingOf: timed(-1_000, 1_000) }],
  ['is missing if the list is empty', [], missing],
  [
    'is missing if all entries of its look are known to be other files',
    [own, second],
    missing,
    { isKnown: (slug) => slug === second.slug },
    intent({ knownSlugs: [own.slug] }),
  ],
  ['is missing if the service keeps files as they are and shows only other ones', [smaller], missing],
  ['stays open if two entries have its look, of which the older comes first', [second, own], open(own, second)],
  ['stays open if the entry of its look may be another of ours', [own], open(own), { others: [intent()] }],
  ['is found if another of ours has another size', [own], found(own), { others: [other] }],
  ['stays open with a new entry where the service has not shown what it does', [strange], open(strange), untold],
  ['stays open with a new entry where the service has changed a file', [strange], open(strange), changes],
  ['stays open with two looks where the service has changed a file', [own, strange], open(own, strange), changes],
  ['is found by its look alone where the service has changed a file', [own], found(own), changes],
  ['of unknown size stays open with a new entry', [own], open(own), {}, intent({ size: null })],
  ['of unknown size is missing without a new entry', [], missing, {}, intent({ size: null })],
  ['of a type not accepted stays open with another look', [cSource], open(cSource), {}, plainText],
  ['of such a type is found by its look', [text], found(text), {}, plainText],
  ['stays open if the time of the entry cannot be read', [dateless], open(dateless)],
  ['stays open if the entry may be older', [own], open(own), { timingOf: timed(-3_600_000, 60_000) }],
  ['is found if the entry is not older', [minuteLater], found(minuteLater), { timingOf: timed(-3_600_000, 60_000) }],
  ['is missing if another of ours explains the entry', [smaller], missing, { others: ours, ...untold }],
  ['is missing if an entry of ours shows that files stay', [smaller, strange], missing, { others: ours, ...untold }],
  [
    'stays open if that entry is known to be another file',
    [smaller, strange],
    open(strange),
    { others: ours, ...untold },
    intent({ knownSlugs: [smaller.slug] }),
  ],
  ['stays open if ours explains it, but files are changed', [smaller], open(smaller), { others: ours, ...changes }],
  ['stays open if ours may be changed to its look', [own], open(own), { others: ours, ...changes }],
  ['is found if such another of ours has another type', [own], found(own), { others: [gif], ...changes }],
]

test.each(rows)('an upload %s', (_, listed, end, knowledge, of) => {
  expect(match(listed, knowledge, of)).toEqual(end)
})

test('further pages are read while their uploads may be of the time of an intent', () => {
  const [now, earlier] = [exact(intent()), exact(intent({ startedAt: startedAt - 9_000 }))]
  expect(mayGoBackTo(upload(0), [now])).toBe(true)
  expect(mayGoBackTo(upload(-3_000), [now])).toBe(false)
  expect(mayGoBackTo(upload(-3_000), [timed(-5_000, 0)(intent())])).toBe(true)
  expect(mayGoBackTo(upload(-3_000), [now, earlier])).toBe(true)
  expect(mayGoBackTo(upload(0, { created_at: '?' }), [now])).toBe(false)
})

test('of two entries with its bytes an upload takes the older one, since one that began later cannot have made that', () => {
  const outcome = match([minuteLater, own]) as ReturnType<typeof open>
  const compared = { mimeType: 'image/jpeg', outcome, likeness: ['same', 'same'] } as const
  expect(decideByContent([compared], { taken: new Set(), keeps: () => true })).toEqual([found(own)])
  const begunLater = intent({ startedAt: startedAt + 60_000, endedAt: startedAt + 62_000 })
  expect(match([minuteLater, own], { isKnown: (slug) => slug === own.slug }, begunLater)).toEqual(found(minuteLater))
})
