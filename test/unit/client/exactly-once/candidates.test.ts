import { expect, test } from 'vitest'
import {
  creationSpan,
  findCandidates,
  mayGoBackTo,
  parseCreatedAt,
  type TimeSpan,
  type Treatment,
} from '../../../../src/client/exactly-once/candidates.ts'
import type { Upload, UploadIntent } from '../../../../src/index.ts'
import { uploadObject } from '../../../helpers/media.ts'

const startedAt = Date.parse('2026-01-15T12:00:00.400Z')
/** The span of an upload by a service whose clock is ahead by so many milliseconds. */
const timed =
  (least: number, most: number) =>
  ({ startedAt: from, endedAt }: UploadIntent): TimeSpan => ({
    from: from + least,
    to: endedAt === null ? Number.POSITIVE_INFINITY : endedAt + most,
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
interface Knowledge {
  readonly treatment?: Treatment
  readonly isKnown?: (slug: string) => boolean
  readonly spanOf?: typeof exact
}
const candidates = (listed: readonly Upload[], knowledge: Knowledge = {}, of = intent()) => {
  const { spanOf = exact, isKnown = () => false } = knowledge
  const treatment = 'treatment' in knowledge ? knowledge.treatment : 'keeps'
  const account = { isOurs: isKnown, treatmentOf: () => treatment }
  return findCandidates({ intent: of, made: () => spanOf(of), wasSeenBefore: () => false }, listed, account)
}

const [own, second, late] = [upload(0), upload(1_000), upload(7_200_000)]
const [smaller, strange, png] = [
  upload(0, { size: 99 }),
  upload(0, { size: 108 }),
  upload(0, { mime_type: 'image/png' }),
]
const capitals = upload(0, { mime_type: 'Image/JPEG; charset=binary' })
const [cSource, text] = [upload(0, { mime_type: 'text/x-c' }), upload(0, { mime_type: 'text/plain' })]
const dateless = upload(0, { created_at: '2026-01-15 12:00:00' })
const plainText = intent({ mimeType: 'text/plain' })
const changes: Knowledge = { treatment: 'changes' }
const unshown: Knowledge = { treatment: undefined }

type Row = [title: string, listed: readonly Upload[], candidates: readonly Upload[], Knowledge?, UploadIntent?]

test.each<Row>([
  ...[upload(0), upload(500), upload(1_999), upload(30_000), upload(599_000)].map(
    (one): Row => [`one of its look that was made ${one.created_at}`, [one], [one]],
  ),
  ...[upload(-2_000), upload(-60_000), upload(612_000)].map(
    (one): Row => [`none that was made ${one.created_at}`, [one], []],
  ),
  ...[upload(-3_600_000), upload(3_600_000)].map(
    (one): Row => [`one an hour off last, as on a daylight saving change: ${one.created_at}`, [own, one], [own, one]],
  ),
  ['one whose type is listed with parameters or in capitals', [capitals], [capitals]],
  ['none of another size or type where the service keeps files', [smaller, strange, png, own], [own]],
  ['one made at its time by the service’s clock', [late], [late], { spanOf: timed(7_199_000, 7_201_000) }],
  ['none made at its time by this machine’s clock', [late], [], { spanOf: timed(-1_000, 1_000) }],
  [
    'none that is known to be another file',
    [own, second],
    [],
    { isKnown: (slug) => slug === second.slug },
    intent({ knownSlugs: [own.slug] }),
  ],
  ['the older one first', [second, own], [own, second]],
  ['one of any look where the service has not shown what it does', [strange], [strange], unshown],
  ['none of another look beside one of its own', [strange, own], [own], unshown],
  ['those of any look where the service has changed a file', [own, strange], [own, strange], changes],
  ['those of any look for one of unknown size', [own], [own], {}, intent({ size: null })],
  ['those of any look for a type not accepted', [cSource], [cSource], {}, plainText],
  ['first the one of its look for such a type', [cSource, text], [text, cSource], {}, plainText],
  ['one whose time cannot be read', [dateless], [dateless]],
])('an upload has as candidates %s', (_, listed, expected, knowledge, of) => {
  expect(candidates(listed, knowledge, of)).toEqual(expected)
})

test('further pages are read while their uploads may be of the time of an intent', () => {
  const [now, earlier] = [exact(intent()), exact(intent({ startedAt: startedAt - 9_000 }))]
  expect(mayGoBackTo(upload(0), [now])).toBe(true)
  expect(mayGoBackTo(upload(-3_000), [now])).toBe(false)
  expect(mayGoBackTo(upload(-3_000), [timed(-5_000, 0)(intent())])).toBe(true)
  expect(mayGoBackTo(upload(-3_000), [now, earlier])).toBe(true)
  expect(mayGoBackTo(upload(0, { created_at: '?' }), [now])).toBe(false)
})

test.each([
  ['2026-01-15T14:00:00+02', '2026-01-15T12:00:00Z'],
  ['2026-01-15T12:00:00Z', '2026-01-15T12:00:00Z'],
  ['2026-01-15T12:00:00.999999Z', '2026-01-15T12:00:00.999Z'],
  ['2026-01-15 12:00:00 +00:00', '2026-01-15T12:00:00Z'],
  ['2026-01-15T06:30:00.5-0530', '2026-01-15T12:00:00.500Z'],
  ['2026-01-15T17:30:00.123+05:30', '2026-01-15T12:00:00.123Z'],
])('%s is %s', (text, instant) => {
  expect(parseCreatedAt(text)).toBe(Date.parse(instant))
})

test.each(['', 'yesterday', '2026-01-15T12:00:00', '2026-01-15', '2026-13-15T12:00:00Z', '2026-01-15T25:00:00Z'])(
  '%j names no instant',
  (text) => {
    expect(parseCreatedAt(text)).toBeUndefined()
  },
)

test('the span of a creation time covers rounding down and rounding to the nearest second', () => {
  const upload = { ...uploadObject, created_at: '2026-01-15T12:00:00Z' }
  const at = Date.parse(upload.created_at)
  expect(creationSpan(upload)).toEqual({ from: at - 500, to: at + 1_000 })
  expect(creationSpan({ ...upload, created_at: 'now' })).toBeUndefined()
})
