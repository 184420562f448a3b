import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hints } from '../../../../src/cli/failures/hints.ts'

const sources = globSync('src/cli/**/*.ts')
  .filter((path) => !path.endsWith('failures/hints.ts'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

test('each hint of the table is used, and there are no more than people can know', () => {
  const names = Object.keys(hints)
  const isUsed = (name: string) => sources.some(({ text }) => new RegExp(`hints\\.${name}\\b`).test(text))
  expect(names.filter((name) => !isUsed(name))).toEqual([])
  expect(names.length).toBeLessThanOrEqual(40)
})

test.each(sources.map(({ path, text }) => [path, text]))('%s has no hint of its own', (_, text) => {
  const own = /\bhint(?::|\s*=|\s*\?\?)\s*(?:`|'[^'])|usageError\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*,\s*['`]/.exec(
    text,
  )
  expect(own?.[0]).toBeUndefined()
})
