import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'
import { emulatorErrorCodes } from '../../emulator/emulator-error.ts'
import { exitCodes } from '../../src/cli/failures/exit-codes.ts'
import { fileHostErrorCodes } from '../../src/client/errors.ts'
import { neededRights } from '../../src/store/redis/problems.ts'

/** What a file has between the parentheses of a pattern. */
function found(file: string, pattern: RegExp): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, text = '']) => text)
}

test('every path from the root that a page has in backquotes exists', () => {
  const paths = globSync(['*.md', 'docs/*.md', '!CHANGELOG.md']).flatMap((page) => {
    const words = found(page, /`([^`\s]+)`/g)
    return words.filter((word) => /^(\.github|bench|bin|build|docs|emulator|src|test)\/[\w./*-]*$/.test(word))
  })
  expect(paths.length).toBeGreaterThan(100)
  expect(paths.filter((path) => globSync(path, { dot: true, onlyFiles: false }).length === 0)).toEqual([])
})

test('every link from a page to a file of this repository leads to one', () => {
  const dead = globSync(['*.md', 'docs/**/*.md', '.github/**/*.md'], { dot: true }).flatMap((page) => {
    const files = found(page, /\]\(([^)\s#]+)(?:#[^)]*)?\)/g).filter((target) => !/^[a-z]+:/.test(target))
    return files.filter((file) => !existsSync(join(dirname(page), file))).map((file) => `${page}: ${file}`)
  })
  expect(dead).toEqual([])
})

test.each([
  ['docs/library.md', fileHostErrorCodes],
  ['docs/emulator.md', emulatorErrorCodes],
])('%s has a row for every code of an error', (file, codes) => {
  expect(codes.length).toBeGreaterThan(10)
  expect(new Set(codes).size).toBe(codes.length)
  const rows = found(file, /^(\|.*)$/gm).join()
  expect(codes.filter((code) => !rows.includes(`\`${code}\``))).toEqual([])
})

test('docs/exit-codes.md has rows for exactly the exit codes that fh help explains, each with a cause and a test file', () => {
  const rows = found('docs/exit-codes.md', /^\| (\d.*)$/gm).map((row) => row.split(/ ?(?<!\\)\| ?/))
  expect(rows.filter(([, when, files = '']) => !when || !/`test\/.+`/.test(files))).toEqual([])
  const codes = new Set(rows.map(([code = '']) => code))
  const explained = exitCodes.map(({ code }) => String(code))
  expect(explained.filter((code) => !codes.has(code))).toEqual([])
  expect([...codes].filter((code) => !explained.includes(code))).toEqual([])
})

test('docs/fleet.md names the rights that a user of Redis needs', () => {
  const page = readFileSync('docs/fleet.md', 'utf8').replace(/\s+/g, ' ')
  expect(page).toContain(`ACL SETUSER runner on >password ${neededRights}`)
})

test('docs/library.md has each name that filehost exports in the first cell of one row, and no other', () => {
  const exported = found('src/index.ts', /^export (?:type )?\{([^}]*)\}/gm).flatMap(
    (list) => list.match(/\w+(?=\s*(,|$))/g) ?? [],
  )
  expect(exported.length).toBeGreaterThan(50)
  const cells = found('docs/library.md', /^\| (`.*?) \|/gm)
  expect(cells.flatMap((cell) => cell.match(/(?<=`)\w+(?=`)/g) ?? []).sort()).toEqual(exported.sort())
})
