import { readFileSync } from 'node:fs'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'

const textsOf = (pattern: string) => globSync(pattern).map((path) => [path, readFileSync(path, 'utf8')] as const)
const sources = textsOf('{src,emulator}/**/*.ts')
const filesWith = (texts: typeof sources, pattern: RegExp) =>
  texts.filter(([, text]) => pattern.test(text)).map(([path]) => path)

test('only files named clock.ts read the time or set a timer', () => {
  const clock = /\bDate\.now\(|new Date\(\)|(performance\.now|process\.hrtime\b.*)\(|(?<![.\w])set(Timeout|Interval)\(/
  expect(filesWith(sources, clock).filter((path) => !path.endsWith('clock.ts'))).toEqual([])
})

test('every TypeError and RangeError of library and emulator is made with a code', () => {
  const bare = filesWith(sources, /new (Type|Range)Error\(|extends (Type|Range)Error/)
  const elsewhere = bare.filter((path) => !/^src\/(cli|checks)\//.test(path))
  // Those of the global fetch have none, and the emulator's fetch imitates them; the other is for a mistake of the emulator.
  const without = /^emulator\/(http\/adapters\/fetch-\w+|service\/quota\/quota)\.ts$/
  expect(elsewhere.filter((path) => !without.test(path))).toEqual([])
  expect(elsewhere.length).toBeGreaterThan(1)
})

test('a name means one thing: no two files of library and emulator export it', () => {
  const exported = /^export (?:async |abstract )?(?:function\*?|const|class|interface|type) (\w+)/gm
  const files = new Map<string, Set<string>>()
  // The entry for browsers refuses under the names of the library.
  for (const [path, text] of sources.filter(([path]) => path !== 'src/browser.ts')) {
    for (const [, name = ''] of text.matchAll(exported)) files.set(name, (files.get(name) ?? new Set()).add(path))
  }
  // Each command has the first. The library and the emulator promise a type of the second name each.
  const several = new Set(['register', 'RequestInfo'])
  const twice = [...files].filter(([name, paths]) => paths.size > 1 && !several.has(name))
  expect(twice.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)).toEqual([])
  expect(files.size).toBeGreaterThan(1_000)
})

test('no test is skipped, marked as only or left to do', () => {
  expect(filesWith(textsOf('test/**/*.ts'), /\b(it|test|describe)[.](skip|only|todo)\b/)).toEqual([])
})

test('no source has more than the 300 lines that CONTRIBUTING.md names, and most have 40 to 150', () => {
  const lengths = sources.map(([path, text]) => [path, text.split('\n').length - 1] as const)
  expect(lengths.filter(([, lines]) => lines > 300)).toEqual([])
  const usual = lengths.filter(([, lines]) => lines >= 40 && lines <= 150)
  expect(usual.length).toBeGreaterThan(lengths.length / 2)
})

test('only test files mock modules: test/setup.ts looks there', () => {
  const mocking = filesWith(textsOf('test/**/*.ts'), /\bvi\.(do)?(un)?mock\(/i)
  expect(mocking.filter((path) => !path.endsWith('.test.ts'))).toEqual(['test/setup.ts'])
})

/** The lines that a room may have. One that grows says so here, and why in the message of its commit; another one shrinks. */
const rooms: Readonly<Record<string, number>> = {
  'src/checks': 595,
  'src/cli/batch': 202,
  'src/cli/choice': 487,
  'src/cli/commands': 5_636,
  'src/cli/config': 1_134,
  'src/cli/context': 549,
  'src/cli/failures': 392,
  'src/cli/format': 165,
  'src/cli/input': 366,
  'src/cli/output': 3_265,
  'src/cli/run': 662,
  'src/client': 7_051,
  'src/contents': 4_327,
  'src/environment': 178,
  'src/log': 1_859,
  'src/pacing': 4_603,
  'src/protocol': 626,
  'src/system': 1_150,
  'emulator/clock': 534,
  'emulator/control': 2_899,
  'emulator/dashboard': 2_043,
  'emulator/faults': 681,
  'emulator/http': 3_491,
  'emulator/openapi': 376,
  'emulator/seed': 397,
  'emulator/service': 3_271,
  'emulator/settings': 443,
  'emulator/site': 3_473,
  'emulator/state': 556,
  'emulator/storage': 2_858,
  'emulator/testing': 369,
  'emulator/thumbnails': 297,
  'emulator/values': 621,
}

test('no room has more lines than it may, and the table names every room with its size to within a tenth', () => {
  const linesOf = (room: string) =>
    textsOf(`${room}/**/*.{ts,lua}`).reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0)
  const sizes = Object.entries(rooms).map(([room, most]) => ({ room, most, lines: linesOf(room) }))
  expect(sizes.filter(({ most, lines }) => lines > most || lines < most * 0.9 - 10)).toEqual([])
  const named = Object.keys(rooms)
  const unnamed = sources.map(([path]) => path).filter((path) => !named.some((room) => path.startsWith(`${room}/`)))
  expect(unnamed.filter((path) => path.split('/').length > 2 && path !== 'src/cli/main.ts')).toEqual([])
})

test('the tests have at most 47,609 lines', () => {
  const lines = textsOf('test/**/*.ts').reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0)
  expect(lines).toBeLessThanOrEqual(47_610)
})
