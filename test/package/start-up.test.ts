import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { emulatedRig } from '../helpers/emulated-rig.ts'
import { jpegBytes } from '../helpers/media.ts'

/** Writes a report as the program ends: the files and modules of Node it loaded, and the Intl.Segmenters it made. */
const reportLoaded = `
const { Segmenter } = Intl
let segmenters = 0
Intl.Segmenter = class extends Segmenter {
  constructor(...given) {
    super(...given)
    segmenters += 1
  }
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
}

interface Given {
  /** The content of photo.jpg in the working folder. */
  readonly photo?: Buffer
  readonly env?: Readonly<Record<string, string>>
}

/** What fh has loaded when it ends, and what an empty program has. */
async function loadedBy(args: readonly string[], { photo = jpegBytes(100), env: given = {} }: Given = {}) {
  const rig = await emulatedRig()
  await rig.write('photo.jpg', photo)
  await rig.write('report-loaded.cjs', reportLoaded)
  await rig.write('nothing.cjs', '')
  const env = { ...given, NODE_OPTIONS: `--require=${JSON.stringify(join(rig.folder, 'report-loaded.cjs'))}` }
  const report = async () => {
    const loaded: Loaded = JSON.parse(await readFile(join(rig.folder, 'loaded.json'), 'utf8'))
    return { ...loaded, modules: loaded.modules.map((name) => name.replace(/^NativeModule /, '')) }
  }
  const { code, stderr } = await rig.fh(args, { env })
  if (code !== 0) throw new Error(stderr)
  const fh = await report()
  await promisify(execFile)(process.execPath, ['nothing.cjs'], { cwd: rig.folder, env: { ...rig.env, ...env } })
  return { fh, nothing: await report() }
}

/** Paths in the package, without the hashes of a build. */
function places(files: readonly string[]): readonly string[] {
  return files.map((file) => relative('.', file).replace(/(-[\w-]{8})+[.]cjs$/, '.cjs'))
}

const start = ['bin/fh.js', 'dist/cli.cjs', 'dist/cli/start.cjs']

test('fh --version loads three files', async () => {
  const { fh } = await loadedBy(['--version'])
  expect(places(fh.files)).toEqual(start)
})

test('fh --help loads four files', async () => {
  const { fh } = await loadedBy(['--help'])
  expect(places(fh.files)).toEqual([...start, 'dist/cli/run-cli.cjs'])
})

test('fh stats loads six files, and of the network modules of Node only http', async () => {
  const { fh } = await loadedBy(['stats'])
  const files = ['run-cli', 'stats', 'execution'].map((name) => `dist/cli/${name}.cjs`)
  expect(places(fh.files)).toEqual([...start, ...files])
  const wires = ['child_process', 'dgram', 'dns', 'http', 'http2', 'https', 'tls', 'zlib']
  expect(fh.modules.filter((name) => wires.includes(name))).toEqual(['http'])
})

test.each([['stats'], ['quota'], ['list'], ['help', 'upload'], ['upload', 'photo.jpg']])(
  'fh %s makes no Intl.Segmenter where all text is ASCII',
  async (...args) => {
    expect((await loadedBy(args)).fh.segmenters).toBe(0)
  },
)

test('fh upload over http loads neither https nor child_process, nor a table of media types', async () => {
  const { fh } = await loadedBy(['upload', 'photo.jpg'])
  expect(fh.modules.filter((name) => ['child_process', 'https', 'tls'].includes(name))).toEqual([])
  const texts = await Promise.all(fh.files.map((file) => readFile(file, 'utf8')))
  expect(texts.join('')).toContain('multipart/form-data')
  expect(texts.join('')).not.toContain('application/vnd.')
})

test('fh upload loads undici only if the environment names a proxy, whatever the size of the file', async () => {
  const photo = jpegBytes(2 * 1_048_576)
  const undici = (files: readonly string[]) => places(files).filter((place) => place.includes('undici'))
  const direct = await loadedBy(['upload', 'photo.jpg'], { photo })
  expect(undici(direct.fh.files)).toEqual([])
  const proxied = await loadedBy(['upload', 'photo.jpg'], {
    photo,
    env: { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*' },
  })
  expect(undici(proxied.fh.files)).toEqual(['dist/cli/undici.cjs'])
})

test.each([['--version'], ['--help'], ['stats'], ['list']])(
  'fh %s does not load the loader of ES modules',
  async (word) => {
    const { fh, nothing } = await loadedBy([word])
    const loader = (modules: readonly string[]) => modules.filter((name) => name.includes('/esm/'))
    expect(loader(fh.modules)).toEqual(loader(nothing.modules))
  },
)
