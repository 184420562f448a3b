import { expect, test } from 'vitest'
import { parseDescription, parseShared } from '../../../src/contents/fleet/fleet-facts.ts'
import { parseLines } from '../../../src/contents/journal-facts.ts'
import { uploadObject as upload } from '../../helpers/media.ts'

const account = { base_url: 'http://h', key_hash: 'k' }
const item = { ...account, id: 'i', run: 'r', path: '/a.jpg', size: 5, sha256: 'x', at: 10 }
const owner = { host: 'h', boot: 'b', space: 's', pid: 1, start: '1' }
const facts: readonly (Readonly<Record<string, unknown>> & { readonly type: string })[] = [
  { type: 'run', run: 'r', ...owner, at: 1 },
  { type: 'claim', ...item },
  { type: 'intent', ...item, mime_type: 'image/jpeg', monotonic: 1.5, service_from: 1, service_to: 2 },
  { type: 'found', ...item, mime_type: 'image/jpeg', upload },
  { type: 'hashed', id: 'i', sha256: 'x' },
  { type: 'done', id: 'i', upload, at: 1 },
  { type: 'not-stored', id: 'i' },
  { type: 'looking', id: 'i' },
  { type: 'unknown', id: 'i', at: 1 },
  { type: 'end', run: 'r' },
  { type: 'deleting', ...account, run: 'r', slug: 's' },
  { type: 'kept', ...account, slug: 's' },
  { type: 'leaving', ...account, run: 'r' },
  { type: 'forgotten', ...account, slug: 's' },
]

const read = (...found: readonly unknown[]) => parseLines(found.map((each) => JSON.stringify(each)))

test.each(facts)('a fact of the type $type is read whole, with what a later version adds to it', (fact) => {
  const more = { ...fact, later: { deep: [1] } }
  expect(read(more)).toEqual([more])
})

test.each(facts)('a fact of the type $type with a field of another type is left out', (fact) => {
  const wrong = Object.keys(fact).flatMap((name) =>
    [null, true, [], {}, [fact[name]]].map((to) => ({ ...fact, [name]: to })),
  )
  expect(read(...wrong)).toEqual([])
})

test('a fact of an unknown type, or with fields that only its prototype has, is left out', () => {
  const inherited = `{"__proto__":${JSON.stringify(facts[4])}}`
  const typed = `{"type":"hashed","__proto__":${JSON.stringify(facts[4])}}`
  const words = ['constructor', '__proto__', 'toString', '', 'Run'].map((type) => JSON.stringify({ ...facts[0], type }))
  expect(parseLines([inherited, typed, ...words, '[]', 'null', '"run"', '{}'])).toEqual([])
})

test.each(Object.keys(upload))(
  'an upload without %s is none of the record, in the journal and in the fleet',
  (field) => {
    const { [field as keyof typeof upload]: _, ...rest } = upload
    expect(read({ type: 'done', id: 'i', upload: rest })).toEqual([])
    expect(parseDescription(JSON.stringify({ name: 'a.jpg', upload: rest }))).toBeUndefined()
  },
)

test('of what the fleet says of an upload only the name and the upload have to be there', () => {
  expect(parseDescription(JSON.stringify({ name: 'a.jpg', mime_type: 7, upload }))).toEqual({ name: 'a.jpg', upload })
  expect(parseDescription(JSON.stringify({ name: 7, upload }))).toBeUndefined()
  expect(parseDescription(`{"name":"a","upload":{"x":${'['.repeat(600)}${']'.repeat(600)}}}`)).toBeUndefined()
})

test('a fleet’s facts are dated by their entries, and those of other kinds, too deep or of another form are left out', () => {
  const claim = {
    type: 'claim',
    base_url: '',
    key_hash: '',
    id: 'a',
    run: 'r.1',
    path: '-a',
    size: 1,
    sha256: 'x',
    at: 0,
  }
  expect(parseShared(JSON.stringify(claim), 7)).toEqual({ at: 7, line: { ...claim, at: 7 } })
  expect(parseShared('{"type":"gone","runner":"r"}', 7)).toEqual({ at: 7, line: { type: 'gone', runner: 'r' } })
  const deleting = { type: 'deleting', base_url: '', key_hash: '', run: 'r', slug: 's' }
  const deep = `{"type":"end","run":"r","x":${'['.repeat(600)}${']'.repeat(600)}}`
  const others = [{ ...claim, size: '1' }, deleting, { type: 'gone', runner: 7 }, []].map((one) => JSON.stringify(one))
  expect([...others, deep, 'x'].map((text) => parseShared(text, 7))).toEqual(Array(6).fill(undefined))
})
