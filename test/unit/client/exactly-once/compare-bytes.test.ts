import { expect, test } from 'vitest'
import {
  type BytesContext,
  type ComparedFile,
  decideByBytes,
  type Likeness,
} from '../../../../src/client/exactly-once/compare-bytes.ts'
import { uploadObject } from '../../../helpers/media.ts'

const named = (slug: string) => ({ ...uploadObject, slug })
const [a, b, c] = [named('a'), named('b'), named('c')]

/** A file that the list left open, with what a comparison with each candidate told. */
function open(...compared: readonly (readonly [typeof uploadObject, Likeness])[]): ComparedFile {
  const candidates = compared.map(([upload]) => upload)
  return {
    mimeType: 'image/jpeg',
    outcome: { type: 'ambiguous', candidates },
    likeness: compared.map(([, likeness]) => likeness),
  }
}

function decide(
  files: readonly ComparedFile[],
  { isTaken = () => false, keeps = () => false }: Partial<BytesContext> = {},
) {
  return decideByBytes(files, { isTaken, keeps }).map((outcome) => {
    if (outcome.type === 'ambiguous') return outcome.candidates.map(({ slug }) => slug).join()
    return outcome.type === 'stored' ? `is ${outcome.upload.slug}` : outcome.type
  })
}

const keeps = { keeps: (type: string) => type === 'image/jpeg' }
const png = { ...open([a, 'different']), mimeType: 'image/png' }
const [foundA, bothAlike] = [open([a, 'same']), open([a, 'same'], [b, 'same'])]
const [bothDiffer, secondSame] = [open([a, 'different'], [b, 'different']), open([a, 'different'], [b, 'same'])]
const told: ComparedFile[] = [
  { mimeType: 'image/jpeg', outcome: { type: 'stored', upload: a }, likeness: [] },
  { mimeType: 'image/jpeg', outcome: { type: 'not-stored' }, likeness: [] },
]

test.each<[string, readonly ComparedFile[], readonly string[], Partial<BytesContext>?]>([
  ['the candidate with its bytes is a file’s upload', [open([a, 'different'], [b, 'same'], [c, 'unknown'])], ['is b']],
  ['a file whose candidates all differ stays open', [bothDiffer], ['a,b']],
  ['a file whose candidates all differ is not stored where files are kept', [bothDiffer], ['not-stored'], keeps],
  ['an upload with a file’s bytes shows that files are kept', [secondSame, bothDiffer], ['is b', 'not-stored']],
  ['an upload with a file’s bytes shows nothing of other types', [open([b, 'same']), png], ['is b', 'a']],
  ['a candidate that is not compared keeps a file open', [open([a, 'different'], [b, 'unknown'])], ['b'], keeps],
  ['two files of one content take one upload each', [bothAlike, { ...bothAlike }], ['is a', 'is b']],
  ['a file with few candidates takes its own first', [bothAlike, foundA], ['is b', 'is a']],
  ['of two files of one content one is stored if there is one upload', [foundA, { ...foundA }], ['is a', 'not-stored']],
  [
    'an upload found before is no other file’s',
    [open([a, 'same'], [b, 'unknown'])],
    ['b'],
    { isTaken: (slug) => slug === 'a' },
  ],
  ['what the list has told stays', told, ['is a', 'not-stored']],
])('%s', (_, files, decided, facts) => {
  expect(decide(files, facts)).toEqual(decided)
})
