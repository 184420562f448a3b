import { readFileSync } from 'node:fs'

/** What PHP was seen to make of something, row by row; `test/fixtures/php/README.md` says how each table came about. */
export function phpFacts<Row>(table: string): readonly Row[] {
  return JSON.parse(readFileSync(phpFile(`${table}.json`), 'utf8'))
}

export function phpFile(name: string): URL {
  return new URL(`../fixtures/php/${name}`, import.meta.url)
}
