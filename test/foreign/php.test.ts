import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { phpFacts, phpFile } from '../helpers/php-facts.ts'

const php = 'php'

/** The tables hold for this version; another one may do other things. */
const recorded = '8.2'

const found = spawnSync(php, ['-n', '-r', 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;'], { encoding: 'utf8' })
const version = found.status === 0 ? found.stdout : undefined

/** What the PHP installed here makes of each input, by the program that recorded the table. */
function replay(program: string, inputs: readonly unknown[]): readonly unknown[] {
  const path = fileURLToPath(phpFile(program))
  const { stdout, status } = spawnSync(php, [path], {
    input: JSON.stringify(inputs),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    timeout: 20_000,
  })
  expect(status).toBe(0)
  return JSON.parse(stdout)
}

const tables: Readonly<Record<string, string>> = { queries: 'read-queries.php', types: 'read-types.php' }

for (const [table, program] of Object.entries(tables)) {
  test(`the recorded table ${table} holds for PHP ${recorded} itself`, { timeout: 30_000 }, ({ skip }) => {
    skip(version !== recorded, `left out: php ${recorded} is not installed here, but ${version ?? 'none at all'}`)
    const rows = phpFacts<readonly [unknown, unknown]>(table)
    const answers = replay(
      program,
      rows.map(([input]) => input),
    )
    expect(rows.map(([input], index) => [input, answers[index]])).toEqual(rows)
  })
}
