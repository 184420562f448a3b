import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hints } from '../../../../src/cli/failures/hints.ts'

const sources = globSync('src/cli/**/*.ts')
  .filter((path) => !path.endsWith('failures/hints.ts'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

/** @returns with … for whatever a hint names */
function textOf(hint: string | ((...names: never[]) => string)): string {
  return typeof hint === 'string' ? hint : hint(...(Array(hint.length).fill(['…']) as never[]))
}

test('the hints of the command line are those of this table, each used, and no more than people can know', async () => {
  const rows = Object.entries(hints).map(([key, hint]) => {
    const uses = sources.filter(({ text }) => new RegExp(`hints\\.${key}\\b`).test(text))
    expect(uses, key).not.toEqual([])
    return `| ${textOf(hint)} | ${uses.map(({ path }) => path.replace(/^src\/cli\/|\.ts$/g, '')).join(', ')} |`
  })
  expect(rows.length).toBeLessThanOrEqual(40)
  const table = ['| what to do | told by |', '|---|---|', ...rows, ''].join('\n')
  await expect(table).toMatchFileSnapshot('hints.md')
})

test.each(sources.map(({ path, text }) => [path, text]))('%s has no hint of its own', (_, text) => {
  const own = /\bhint(?::|\s*=|\s*\?\?)\s*(?:`|'[^'])|usageError\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*,\s*['`]/.exec(
    text,
  )
  expect(own?.[0]).toBeUndefined()
})
