import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { globSync } from 'tinyglobby'
import ts from 'typescript'
import { expect, test } from 'vitest'

const textsOf = (pattern: string) => globSync(pattern).map((path) => [path, readFileSync(path, 'utf8')] as const)
const sources = textsOf('{src,emulator}/**/*.ts')
const linesOf = (text: string) => text.split('\n').length - 1
const filesWith = (texts: typeof sources, pattern: RegExp) =>
  texts.filter(([, text]) => pattern.test(text)).map(([path]) => path)

test('only the clocks of the system and of pages read the time or set a timer', () => {
  const clock = /\bDate\.now\(|new Date\(\)|(performance\.now|process\.hrtime\b.*)\(|(?<![.\w])set(Timeout|Interval)\(/
  const clocks = ['emulator/clock/clock.ts', 'emulator/dashboard/assets/page-clock.ts', 'src/clock.ts']
  expect(filesWith(sources, clock).sort()).toEqual(clocks)
  // The virtual clocks stand beside it: one line alone gives the emulator the time of the machine.
  const own = readFileSync('emulator/clock/clock.ts', 'utf8').split('\n')
  expect(own.filter((line) => clock.test(line))).toEqual([expect.stringContaining('return adoptClock({ now: ')])
})

test('in the room of the databases only their opening opens a file by fs: closing it would drop the locks on it', () => {
  const opening =
    /\b(openSync|open|readFile|writeFile|appendFile|copyFile|cp|createReadStream|createWriteStream)(Sync)?\b[^']*from 'node:fs/
  expect(filesWith(textsOf('src/store/**/*.ts'), opening)).toEqual(['src/store/sqlite.ts'])
})

test('every TypeError and RangeError of library and emulator is made with a code', () => {
  const bare = filesWith(sources, /new (Type|Range)Error\(|extends (Type|Range)Error/)
  const elsewhere = bare.filter((path) => !/^src\/(cli|checks)\//.test(path))
  // Those of the global fetch have none, and the emulator's fetch imitates them.
  const without = /^emulator\/wire\/fetch\.ts$/
  expect(elsewhere.filter((path) => !without.test(path))).toEqual([])
  expect(elsewhere.length).toBeGreaterThan(0)
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
  expect(mocking.filter((path) => !path.endsWith('.test.ts'))).toEqual([])
})

test('only files named *.sampled.test.ts draw samples, for npm run test:all runs the rest of those alone', () => {
  const drawing = filesWith(textsOf('test/**/*.test.ts'), /\/sample\.ts'/)
  expect(drawing.toSorted()).toEqual(globSync('test/**/*.sampled.test.ts').toSorted())
})

/**
 * The lines that each room may have, blank ones and comments included. Only its own shrinking changes a number here. A room
 * that others are in has its own files alone; `.` has the configuration at the root.
 */
const rooms: Readonly<Record<string, number>> = {
  '.': 444,
  bin: 21,
  src: 207,
  'src/cli': 8,
  'src/checks': 545,
  'src/cli/batch': 159,
  'src/cli/choice': 341,
  'src/cli/commands': 3_664,
  'src/cli/config': 580,
  'src/cli/context': 410,
  'src/cli/failures': 324,
  'src/cli/format': 148,
  'src/cli/input': 161,
  'src/cli/output': 1_757,
  'src/cli/run': 400,
  'src/client': 5_394,
  'src/environment': 152,
  'src/pacing': 2_813,
  'src/protocol': 601,
  'src/store': 2_602,
  'src/system': 450,
  'src/uploads': 1_157,
  emulator: 594,
  'emulator/api': 1_401,
  'emulator/clock': 493,
  'emulator/control': 2_189,
  'emulator/dashboard': 2_222,
  'emulator/faults': 670,
  'emulator/openapi': 291,
  'emulator/php': 617,
  'emulator/seed': 367,
  'emulator/service': 2_566,
  'emulator/settings': 358,
  'emulator/site': 3_526,
  'emulator/state': 355,
  'emulator/storage': 1_327,
  'emulator/testing': 325,
  'emulator/thumbnails': 115,
  'emulator/values': 505,
  'emulator/wire': 712,
  build: 790,
  bench: 2_421,
  docs: 489,
  test: 38_500,
}

test('no room has more lines than it may, and the table names every room', () => {
  const ending = '*.{ts,lua,mjs,cjs,js,css,sql,html}'
  const patterns = [ending, `{bin,src,emulator,build,bench,docs,test}/**/${ending}`]
  const paths = globSync(patterns, { dot: true, ignore: '**/node_modules/**' })
  const named = Object.keys(rooms).toSorted((one, other) => other.length - one.length)
  const roomOf = (path: string) => named.find((room) => path.startsWith(`${room}/`)) ?? '.'
  const sizes = new Map<string, number>()
  for (const path of paths) {
    const size = linesOf(readFileSync(path, 'utf8'))
    sizes.set(roomOf(path), (sizes.get(roomOf(path)) ?? 0) + size)
  }
  expect([...sizes].filter(([room, lines]) => lines > (rooms[room] ?? 0))).toEqual([])
  const halls = named.filter((room) => named.some((other) => other.startsWith(`${room}/`)))
  const unnamed = paths.filter((path) => halls.includes(roomOf(path)) && dirname(path) !== roomOf(path))
  expect(unnamed).toEqual([])
})

test('no function of the sources has more than 80 lines', () => {
  const long = sources.flatMap(([path, text]) => (linesOf(text) > 80 ? longFunctionsOf(path, text) : []))
  expect(long).toEqual([])
})

function longFunctionsOf(path: string, text: string): readonly string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line
  const names: string[] = []
  /** @param owner what holds the value, such as the constant of an arrow function */
  function visit(node: ts.Node, owner: ts.Node) {
    if (ts.isFunctionLike(node) && 'body' in node && lineOf(node.end) - lineOf(node.getStart(file)) >= 80) {
      const { name = (owner as ts.NamedDeclaration).name } = node
      names.push(`${path} ${name?.getText(file) ?? 'without a name'}`)
    }
    ts.forEachChild(node, (child) => visit(child, node))
  }
  visit(file, file)
  return names
}
