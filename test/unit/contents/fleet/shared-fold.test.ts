import { expect, test } from 'vitest'
import { factName, parseShared, type SharedLine } from '../../../../src/contents/fleet/fleet-facts.ts'
import { sharedFoldOf } from '../../../../src/contents/fleet/shared-fold.ts'

const content = { base_url: '', key_hash: '', path: '-a', size: 1, sha256: 'a'.repeat(64) }

function line(at: number, fact: object): SharedLine {
  const parsed = parseShared(JSON.stringify(fact), at)
  if (parsed === undefined) throw new Error(`not a fact: ${JSON.stringify(fact)}`)
  return parsed
}

const run = (at: number, run: string) =>
  line(at, { type: 'run', run, host: '', boot: '', space: '', pid: 0, start: '', at })
const claim = (at: number, id: string, run: string) => line(at, { type: 'claim', id, run, ...content, at })
const intent = (at: number, id: string, run: string) =>
  line(at, { type: 'intent', id, run, ...content, mime_type: 'image/png', at })
const notStored = (at: number, id: string) => line(at, { type: 'not-stored', id })

test('what a log lost is told again in any order: dates say what an ending and a mark of a runner that is gone end', () => {
  const earlier = [run(1, 'one.1'), claim(2, 'x', 'one.1'), intent(3, 'x', 'one.1'), notStored(4, 'x')]
  const lines = [...earlier, line(5, { type: 'gone', runner: 'one' }), run(6, 'one.2')]
  for (let first = 0; first < lines.length; first += 1) {
    const told = [...lines.slice(first), ...lines.slice(0, first), run(7, 'two.1'), claim(8, 'y', 'two.1')]
    const fold = sharedFoldOf(told)
    expect([fold.standing('y', 9).type, fold.stateOf('one.1'), fold.stateOf('one.2')]).toEqual([
      'first',
      'over',
      'works',
    ])
  }
})

test('a second ending of an upload that was sent again is another fact than the first', () => {
  const [first, second] = [notStored(2, 'x'), notStored(5, 'x')]
  const lines = [
    run(1, 'one.1'),
    intent(1, 'x', 'one.1'),
    first,
    intent(4, 'x', 'one.1'),
    line(4, { type: 'end', run: 'one.1' }),
  ]
  const all = [...lines, run(4, 'two.1'), claim(4, 'y', 'two.1')]
  expect(sharedFoldOf(all).standing('y', 9).type).toBe('open')
  expect(sharedFoldOf([...all, second]).standing('y', 9).type).toBe('first')
  expect(factName(second)).not.toBe(factName(first))
})
