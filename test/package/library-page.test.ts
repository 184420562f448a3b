import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const page = readFileSync('docs/library.md', 'utf8')

const entry = ['src/index.ts', 'src/ledger.ts'].map((file) => readFileSync(file, 'utf8')).join('')
const exported = [...entry.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
  names
    .split(',')
    .map((name) => name.replace(/^\s*(?:type\s+)?/, '').trim())
    .filter((name) => name !== ''),
)
const described = [...page.matchAll(/^\| `(\w+)/gm)].map(([, name = '']) => name)

test('docs/library.md has one row for each name that filehost and filehost/ledger export, and no other', () => {
  expect(exported.length).toBeGreaterThan(50)
  expect([...described].sort()).toEqual([...exported].sort())
})

test('docs/library.md begins with uploading, listing, deleting, errors and testing', () => {
  const sections = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
  expect(sections.slice(0, 5)).toEqual(['Uploading', 'Listing', 'Deleting', 'Errors', 'Testing'])
})
