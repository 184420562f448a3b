import { readFileSync } from 'node:fs'

/** Results recorded from real PHP, one row each; `test/fixtures/php/README.md` says how each table was made. */
export function phpFacts<Row>(table: string): readonly Row[] {
  return JSON.parse(readFileSync(phpFile(`${table}.json`), 'utf8'))
}

export function phpFile(name: string): URL {
  return new URL(`../fixtures/php/${name}`, import.meta.url)
}
