import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const entry = readFileSync('src/index.ts', 'utf8')
const exported = [...entry.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
  names
    .split(',')
    .map((name) => name.replace(/^\s*(?:type\s+)?/, '').trim())
    .filter((name) => name !== ''),
)
const described = [...readFileSync('docs/library.md', 'utf8').matchAll(/^\| `(\w+)/gm)].map(([, name = '']) => name)

test('docs/library.md has one row for each name that the library exports, and no other', () => {
  expect(exported.length).toBeGreaterThan(50)
  expect([...described].sort()).toEqual([...exported].sort())
})
