import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { emulatorErrorCodes } from '../../emulator/emulator-error.ts'
import { fileHostErrorCodes } from '../../src/client/error-codes.ts'

/** The codes in the table rows of a document. */
function documented(file: string): readonly string[] {
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
  return rows.flatMap((row) => [...row.matchAll(/`([a-z]+(?:-[a-z]+)*)`/g)].map(([, code = '']) => code))
}

test.each([
  ['docs/library.md', fileHostErrorCodes],
  ['docs/emulator.md', emulatorErrorCodes],
])('%s has a row for every code of an error', (file, codes) => {
  expect(codes.length).toBeGreaterThan(10)
  expect(new Set(codes).size).toBe(codes.length)
  const rows = documented(file)
  expect(codes.filter((code) => !rows.includes(code))).toEqual([])
})

function sourcesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return entries.filter((entry) => entry.endsWith('.ts')).map((entry) => `${folder}/${entry.replaceAll('\\', '/')}`)
}

/** Those of the global fetch have none, and the emulator's fetch imitates them; the other is for a mistake of the emulator. */
const withoutCode = /^emulator\/(http\/adapters\/fetch-\w+|service\/quota\/quota)\.ts$/

test('every TypeError and RangeError of library and emulator is made with a code', () => {
  const files = ['src', 'emulator'].flatMap(sourcesIn).filter((file) => !/^src\/(cli|checks)\//.test(file))
  expect(files.length).toBeGreaterThan(100)
  const bare = files.filter((file) =>
    /new (Type|Range)Error\(|extends (Type|Range)Error/.test(readFileSync(file, 'utf8')),
  )
  expect(bare.filter((file) => !withoutCode.test(file))).toEqual([])
  expect(bare.length).toBeGreaterThan(1)
})
