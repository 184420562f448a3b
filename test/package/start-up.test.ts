import { glob, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'

/** Writes a report as the program ends: the files and modules of Node it loaded, and the Intl.Segmenters it made. */
const reportLoaded = `
let segmenters = 0
Intl.Segmenter = class extends Intl.Segmenter {
  number = (segmenters += 1)
}
process.on('exit', () => {
  const files = Object.keys(require.cache).filter((file) => file !== __filename)
  require('node:fs').writeFileSync('loaded.json', JSON.stringify({ files, modules: process.moduleLoadList, segmenters }))
})`

interface Loaded {
  readonly files: readonly string[]
  readonly modules: readonly string[]
  /** How many Intl.Segmenters were made; one takes as long as all of fh's start. */
  readonly segmenters: number
  /** What the files hold. */
  readonly code: string
}

/** By the words of fh: each is run once. */
const reports = new Map<string, Promise<Loaded>>()

/** What fh has loaded when it ends. */
function loadedBy(words: string): Promise<Loaded> {
  const report = reports.get(words) ?? reported(words)
  reports.set(words, report)
  return report
}

async function reported(words: string): Promise<Loaded> {
  const rig = await emulatedRig()
  await rig.write('photo.jpg', jpegBytes(100))
  await rig.write('report-loaded.cjs', reportLoaded)
  const env = { NODE_OPTIONS: `--require=${JSON.stringify(join(rig.folder, 'report-loaded.cjs'))}` }
  await rig.program(words.split(' '), { env })
  const loaded = JSON.parse(await readFile(join(rig.folder, 'loaded.json'), 'utf8'))
  const modules = loaded.modules.map((name: string) => name.replace(/^NativeModule /, ''))
  const texts = await Promise.all(loaded.files.map((file: string) => readFile(file, 'utf8')))
  return { ...loaded, modules, code: texts.join('') }
}

/** The sources in what was loaded: the bundler lists what each file of the program is made of. */
async function sourcesOf(words: string, room: RegExp): Promise<readonly string[]> {
  const { files } = await loadedBy(words)
  const { outputs } = JSON.parse(await readFile('dist/metafile-cjs.json', 'utf8'))
  const inputs = files.flatMap((file) =>
    Object.entries<{ bytesInOutput: number }>(outputs[relative('.', file)]?.inputs ?? {}),
  )
  const sources = inputs.filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && room.test(path))
  return [...new Set(sources.map(([path]) => path))].sort()
}

test('what fh loads later it loads as CommonJS too: Node 22 reads the names of a file before import() gives it', async () => {
  const paths = await Array.fromAsync(glob('dist/cli/*.cjs'))
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  expect(texts.filter((text) => /\bimport\(/.test(text))).toEqual([])
  expect(texts.length).toBeGreaterThan(10)
})

test('fh --version loads nothing but the version', async () => {
  expect(await sourcesOf('--version', /\.[jt]s$/)).toEqual(['src/cli/main.ts'])
})

test.each(['--help', 'upload --help'])(
  'fh %s loads nothing of the client, the pacer and the emulator',
  async (words) => {
    expect(await sourcesOf(words, /^(src\/(client|pacing|store|uploads)|emulator)\//)).toEqual([])
  },
)

/** Packages that some commands use. */
const seldom =
  /^node_modules\/(undici|conf|ajv|form-data|mime-db|string-width|cli-progress|chalk|open|tinyglobby|hono)\//
/** Rooms and files of them that some commands use. */
const apart = /^src\/(store\/redis\/(?!url)|pacing\/fleet|cli\/.*\/(prompt|quota-text))/

test.each(['--help', 'stats', 'list', 'upload photo.jpg'])(
  'fh %s off a terminal loads no package, fleet, question or certificates that it does not use',
  async (words) => {
    const packages = (await sourcesOf(words, seldom)).map((path) => path.split('/')[1])
    expect([...new Set(packages)]).toEqual(words.startsWith('upload') ? ['form-data', 'mime-db'] : [])
    expect(await sourcesOf(words, apart)).toEqual([])
    expect((await loadedBy(words)).segmenters).toBe(0)
  },
)

test('the built command line has nothing of undici, and imports it nowhere', async () => {
  const { outputs } = JSON.parse(await readFile('dist/metafile-cjs.json', 'utf8'))
  const packed = Object.values<{ inputs: object; imports: readonly { path: string }[] }>(outputs)
  expect(packed.flatMap(({ imports }) => imports.map(({ path }) => path))).toContain('node:http')
  const named = packed.flatMap(({ inputs, imports }) => [...Object.keys(inputs), ...imports.map(({ path }) => path)])
  expect(named.filter((path) => /(^|\/)undici\b/.test(path))).toEqual([])
})

test('fh --help loads no modules of Node for the network or for hashes', async () => {
  const { modules } = await loadedBy('--help')
  expect(modules.filter((name) => /^(crypto|http|https|tls|zlib|worker_threads|readline)$/.test(name))).toEqual([])
})

test('fh emulate loads pages and stylesheets only when one is asked for', async () => {
  const words = `emulate --quiet -- ${process.execPath} --version`
  expect(await sourcesOf(words, /^emulator\/site\/site\.ts$/)).toHaveLength(1)
  expect(await sourcesOf(words, /^(emulator\/(site\/pages|dashboard\/)|node_modules\/hono)/)).toEqual([])
  expect((await loadedBy(words)).code).not.toContain('prefers-color-scheme')
})
