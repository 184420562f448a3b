import { readFileSync } from 'node:fs'

/** A test that a document names as the one that holds what it says. */
export interface NamedTest {
  /** Below test/. */
  readonly file: string
  readonly title: string
}

/** The tests that a cell of a table names: files in backquotes, each followed by titles of its tests in “quotes”. */
export function namedTests(cell: string): readonly NamedTest[] {
  return [...cell.matchAll(/`([^`]+\.ts)`((?:,? “[^”]+”)+)/g)].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ file, title })),
  )
}

/** Those whose whole title is not in the file that is named with them. */
export function missingTests(named: readonly NamedTest[]): readonly NamedTest[] {
  const texts = new Map(named.map(({ file }) => [file, readFileSync(`test/${file}`, 'utf8')]))
  const isIn = (text: string, title: string) => ["'", '"', '`'].some((quote) => text.includes(quote + title + quote))
  return named.filter(({ file, title }) => !isIn(texts.get(file) ?? '', title))
}
