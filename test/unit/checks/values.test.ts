import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  aBoolean,
  aListOf,
  aNumber,
  anAmount,
  anObjectHaving,
  anObjectOf,
  anything,
  aText,
  aWordOf,
  ifSound,
  type Kind,
  Mismatch,
  maybe,
  taggedOf,
} from '../../../src/checks/values.ts'

const point = anObjectOf({ x: anAmount, label: maybe(aText) })
const shape = taggedOf('type', { dot: { at: point }, line: { points: aListOf(point) }, none: {} })
const open = taggedOf('type', { dot: { x: anAmount } }, anObjectHaving)

const plain = [anAmount, anything, aBoolean, aNumber, aWordOf(['a', 1, null])]
const kinds: readonly Kind<unknown>[] = [...plain, ifSound(point, {}), anObjectHaving({ x: anAmount }), shape, open]

const read = (kind: Kind<unknown>, json: string) => kind.read(JSON.parse(json))

test.each([
  [anAmount, '-1'],
  [anAmount, '1e999'],
  [anAmount, '"1"'],
  [aNumber, 'null'],
  [aText, '["a"]'],
  [aBoolean, '1'],
  [aWordOf(['a']), '["a"]'],
  [point, '[]'],
  [point, 'null'],
  [point, '{"label":"a"}'],
  [point, '{"x":1,"label":null}'],
  [point, '{"__proto__":{"x":1}}'],
  [shape, '{"type":"constructor"}'],
  [shape, '{"type":"__proto__"}'],
  [shape, '{"type":["none"]}'],
  [shape, '{"type":{"toString":"none"}}'],
  [shape, '{}'],
  [open, '{"type":"dot","__proto__":{"x":1}}'],
])('%o does not take %s', (kind, json) => {
  expect(read(kind, json)).toBeInstanceOf(Mismatch)
})

test('a mismatch says where in the value, what belongs there, and what was found', () => {
  const found = read(shape, '{"type":"line","points":[{"x":1},{"x":"two"}]}')
  expect(found).toEqual(new Mismatch('a number from zero up', 'two', ['points', 1, 'x']))
})

test('fields without a kind are left out, or kept as they are, a dangerous name among them too', () => {
  const json = '{"type":"dot","x":1,"__proto__":{"polluted":true},"at":{"x":2,"y":3}}'
  expect(read(shape, json)).toEqual({ type: 'dot', at: { x: 2 } })
  expect(JSON.stringify(read(open, json))).toBe(json)
  expect(Reflect.get(Object(read(open, json)), 'polluted')).toBeUndefined()
})

test('what another version wrote counts as what stands for it', () => {
  expect(read(anObjectOf({ x: ifSound(anAmount), y: ifSound(point, 'none') }), '{"x":-1,"y":[]}')).toEqual({
    y: 'none',
  })
})

test('an object that keeps its other fields is read without a copy, and never changed', () => {
  const kind = anObjectHaving({ x: ifSound(anAmount), at: ifSound(anObjectHaving({ y: anAmount })) })
  const sound = Object.freeze({ x: 1, at: Object.freeze({ y: 2, z: 3 }), more: 4 })
  expect(kind.read(sound)).toBe(sound)
  expect(kind.read(Object.freeze({ ...sound, x: 'one', at: { y: -1 } }))).toEqual({ more: 4 })
})

test('no value makes a kind throw', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), (value) => {
      for (const kind of kinds) kind.read(value)
    }),
  )
})
