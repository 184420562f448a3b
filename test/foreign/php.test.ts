import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { phpFacts, phpFile } from '../helpers/php-facts.ts'

const php = 'php'

/** The PHP version of the recorded tables. */
const recorded = '8.2'

const found = spawnSync(php, ['-n', '-r', 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;'], { encoding: 'utf8' })
const version = found.status === 0 ? found.stdout : undefined

/** The results of the installed PHP, from the program that recorded the table. */
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
  test(`PHP ${recorded} itself confirms the recorded table ${table}`, { timeout: 30_000 }, ({ skip }) => {
    skip(version !== recorded, `left out: php ${recorded} is not installed here, but ${version ?? 'none'}`)
    const rows = phpFacts<readonly [unknown, unknown]>(table)
    const answers = replay(
      program,
      rows.map(([input]) => input),
    )
    expect(rows.map(([input], index) => [input, answers[index]])).toEqual(rows)
  })
}

type Form = readonly [contentType: string, parts: readonly (readonly [string, number])[]]

test(`PHP ${recorded} itself confirms the recorded table of forms`, { timeout: 30_000 }, async ({ skip }) => {
  skip(version !== recorded, `left out: php ${recorded} is not installed here, but ${version ?? 'none'}`)
  const { url, stop } = await servePhp('read-form.php')
  onTestFinished(stop)
  for (const [form, made] of phpFacts<readonly [Form, unknown]>('forms')) {
    const [contentType, parts] = form
    const body = Buffer.from(parts.map(([text, times]) => text.repeat(times)).join(''), 'latin1')
    const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': contentType }, body })
    expect([form, await response.json()]).toEqual([form, made])
  }
})

/** PHP's own web server on a free port. */
async function servePhp(router: string) {
  const options = ['-d', 'display_errors=0', '-d', 'log_errors=0']
  const server = spawn(php, [...options, '-S', '127.0.0.1:0', fileURLToPath(phpFile(router))])
  const stop = () => void server.kill()
  let said = ''
  for await (const text of server.stderr.setEncoding('utf8')) {
    said += text
    const [, url] = /\((http:\/\/127\.0\.0\.1:\d+)\) started/.exec(said) ?? []
    if (url !== undefined) {
      server.stderr.resume()
      return { url, stop }
    }
  }
  throw new Error(`PHP's web server did not start: ${said}`)
}
