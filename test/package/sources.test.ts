import { readFileSync } from 'node:fs'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'

const textsOf = (pattern: string) => globSync(pattern).map((path) => [path, readFileSync(path, 'utf8')] as const)
const sources = textsOf('{src,emulator}/**/*.ts')
const linesOf = (text: string) => text.split('\n').length - 1
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

test('no test is skipped, marked as only or left to do', () => {
  expect(filesWith(textsOf('test/**/*.ts'), /\b(it|test|describe)[.](skip|only|todo)\b/)).toEqual([])
})

test('no source has more than 500 lines, and half of them have at most 150', () => {
  const lengths = sources.map(([path, text]) => [path, linesOf(text)] as const)
  expect(lengths.filter(([, lines]) => lines > 500)).toEqual([])
  const sorted = lengths.map(([, lines]) => lines).sort((one, other) => one - other)
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(150)
})

test('a twelfth of all lines of sources are comments, and none switches the formatter off', () => {
  const lines = sources.flatMap(([, text]) => text.split('\n'))
  expect(lines.filter((line) => /^\s*(\/\/|\/?\*)/.test(line)).length / lines.length).toBeGreaterThan(0.08)
  const ignoring = new RegExp(['biome', 'ignore format'].join('-'))
  expect(filesWith([...sources, ...textsOf('test/**/*.ts')], ignoring)).toEqual([])
})

test('the package brings undici and the types of Node along, and nothing else', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(Object.keys(dependencies)).toEqual(['@types/node', 'undici'])
})

test('only test files mock modules: test/setup.ts looks there', () => {
  const mocking = filesWith(textsOf('test/**/*.ts'), /\bvi\.(do)?(un)?mock\(/i)
  expect(mocking.filter((path) => !path.endsWith('.test.ts'))).toEqual(['test/setup.ts'])
})

/** The lines that each room may have, blank ones and comments included. Only its own shrinking changes a number here. */
const rooms: Readonly<Record<string, number>> = {
  'src/checks': 627,
  'src/cli/batch': 209,
  'src/cli/choice': 541,
  'src/cli/commands': 5_700,
  'src/cli/config': 1_216,
  'src/cli/context': 515,
  'src/cli/failures': 407,
  'src/cli/format': 165,
  'src/cli/input': 380,
  'src/cli/output': 3_311,
  'src/cli/run': 731,
  'src/client': 7_413,
  'src/contents': 4_359,
  'src/environment': 178,
  'src/log': 1_859,
  'src/pacing': 4_684,
  'src/protocol': 641,
  'src/store': 2_100,
  'src/system': 898,
  'emulator/clock': 534,
  'emulator/control': 2_937,
  'emulator/dashboard': 2_043,
  'emulator/faults': 694,
  'emulator/http': 3_744,
  'emulator/openapi': 376,
  'emulator/seed': 398,
  'emulator/service': 3_273,
  'emulator/settings': 443,
  'emulator/site': 3_473,
  'emulator/state': 625,
  'emulator/storage': 2_800,
  'emulator/testing': 403,
  'emulator/thumbnails': 296,
  'emulator/values': 621,
  build: 797,
  bench: 3_257,
  test: 49_747,
}

test('no room has more lines than it may, and the table names every room', () => {
  const sizeOf = (room: string) =>
    textsOf(`${room}/**/*.{ts,lua,mjs,cjs}`).reduce((sum, [, text]) => sum + linesOf(text), 0)
  const sizes = Object.entries(rooms).map(([room, most]) => ({ room, most, lines: sizeOf(room) }))
  expect(sizes.filter(({ most, lines }) => lines > most)).toEqual([])
  const named = Object.keys(rooms)
  const unnamed = sources.map(([path]) => path).filter((path) => !named.some((room) => path.startsWith(`${room}/`)))
  expect(unnamed.filter((path) => path.split('/').length > 2 && path !== 'src/cli/main.ts')).toEqual([])
})
