import { expect, test } from 'vitest'
import {
  type ComparedFile,
  type ContentFacts,
  decideByContent,
  type Likeness,
} from '../../../../src/client/exactly-once/lookalikes.ts'
import { uploadObject } from '../../../helpers/media.ts'

const [a, b, c] = ['a', 'b', 'c'].map((slug) => ({ ...uploadObject, slug })) as [
  typeof uploadObject,
  typeof uploadObject,
  typeof uploadObject,
]

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
  { taken = new Set(), keeps = () => false }: Partial<ContentFacts> = {},
) {
  return decideByContent(files, { taken, keeps }).map((outcome) => {
    if (outcome.type === 'ambiguous') return outcome.candidates.map(({ slug }) => slug).join()
    return outcome.type === 'stored' ? `is ${outcome.upload.slug}` : outcome.type
  })
}

test('the candidate with the bytes of a file is its upload, also where the service changes other files', () => {
  expect(decide([open([a, 'different'], [b, 'same'], [c, 'unknown'])])).toEqual(['is b'])
})

test('a file whose candidates all differ is not stored where the service is known to keep files', () => {
  const file = open([a, 'different'], [b, 'different'])
  expect(decide([file])).toEqual(['a,b'])
  expect(decide([file], { keeps: (type) => type === 'image/jpeg' })).toEqual(['not-stored'])
})

test('an upload with the bytes of one file shows that the service keeps files of that type', () => {
  expect(decide([open([a, 'different'], [b, 'same']), open([a, 'different'], [b, 'different'])])).toEqual([
    'is b',
    'not-stored',
  ])
  const other = { ...open([a, 'different']), mimeType: 'image/png' }
  expect(decide([open([b, 'same']), other])).toEqual(['is b', 'a'])
})

test('a file stays open as long as one candidate could not be compared', () => {
  expect(decide([open([a, 'different'], [b, 'unknown'])], { keeps: () => true })).toEqual(['b'])
})

test('two files of one content take one upload each', () => {
  expect(decide([open([a, 'same'], [b, 'same']), open([a, 'same'], [b, 'same'])])).toEqual(['is a', 'is b'])
  expect(decide([open([a, 'same'], [b, 'same']), open([a, 'same'])])).toEqual(['is b', 'is a'])
})

test('of two files of one content the second is not stored if there is one upload of it', () => {
  expect(decide([open([a, 'same']), open([a, 'same'])])).toEqual(['is a', 'not-stored'])
})

test('an upload that was found before belongs to no other file', () => {
  expect(decide([open([a, 'same'], [b, 'unknown'])], { taken: new Set(['a']) })).toEqual(['b'])
})

test('what the list has told stays', () => {
  const told: ComparedFile[] = [
    { mimeType: 'image/jpeg', outcome: { type: 'stored', upload: a }, likeness: [] },
    { mimeType: 'image/jpeg', outcome: { type: 'not-stored' }, likeness: [] },
  ]
  expect(decide(told)).toEqual(['is a', 'not-stored'])
})
